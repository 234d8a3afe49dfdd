package etcd3_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// forgetful is etcd in the moment in which it has not noted yet that a watch wants the values
// before.
type forgetful struct{ clientv3.Watcher }

func (f forgetful) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	from, to := f.Watcher.Watch(ctx, key, opts...), make(chan clientv3.WatchResponse)
	go func() {
		defer close(to)
		for resp := range from {
			for i, ev := range resp.Events { // which are shared with other watches
				resp.Events[i] = &clientv3.Event{Type: ev.Type, Kv: ev.Kv}
			}
			select {
			case to <- resp:
			case <-ctx.Done():
				return
			}
		}
	}()
	return to
}

// stuck is etcd that does not answer reads.
type stuck struct{ clientv3.KV }

func (stuck) Get(ctx context.Context, _ string, _ ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestValuesBeforeThatEtcdLeavesOut(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	real, root := server.Client(), freshRoot()
	open := func(kv clientv3.KV, after int64) storage.Watcher {
		t.Helper()
		client := clientv3.NewCtxClient(ctx)
		client.KV, client.Watcher = kv, forgetful{real.Watcher}
		w, err := etcd3.New(client, etcd3.Config{Root: root}).Watch(ctx, "/pods/", storage.WatchOptions{After: after, Prev: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		return w
	}
	s := etcd3.New(real, etcd3.Config{Root: root})
	one, err := s.Create(ctx, "/pods/a", []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := s.GuaranteedUpdate(ctx, "/pods/a", func(storage.Entry) ([]byte, []storage.Op, error) { return []byte("2"), nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	gone, err := s.Delete(ctx, "/pods/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []storage.Event{
		{Type: storage.Created, Entry: one},
		{Type: storage.Modified, Entry: two, Prev: one},
		{Type: storage.Deleted, Entry: gone, Prev: two},
	}
	var got []storage.Event
	for w := open(real.KV, one.Revision-1); len(got) < len(want); {
		events, err := w.Next(ctx)
		if err != nil {
			t.Fatalf("after %d events: %v", len(got), err)
		}
		got = append(got, events...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong events (-want +got)\n%s", diff)
	}

	short, cancelShort := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancelShort()
	if events, err := open(stuck{real.KV}, one.Revision).Next(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ends: %+v, %v", events, err)
	}
	closed := open(stuck{real.KV}, one.Revision)
	time.AfterFunc(300*time.Millisecond, closed.Close)
	if events, err := closed.Next(ctx); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a watch that is closed: %+v, %v", events, err)
	}

	if _, err := real.Compact(ctx, gone.Revision); err != nil {
		t.Fatal(err)
	}
	if events, err := open(real.KV, two.Revision).Next(ctx); storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("a value that is compacted: %+v, %v", events, err)
	}
}
