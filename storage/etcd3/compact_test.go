package etcd3_test

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

const compactKey = "compact_rev_key"

// alone starts an etcd of its own, which keeps all revisions that nobody compacts.
func alone(t *testing.T) (*etcd3.Client, *etcd3.Store) {
	t.Helper()
	s, err := etcd3test.Open(embedded.Config{Dir: t.TempDir(), History: -1, ProgressInterval: progress, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.Client(), etcd3.New(s.Client(), etcd3.Config{Root: "/registry"})
}

func compacted(t *testing.T, client *etcd3.Client) int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	revision, err := etcd3.Compacted(ctx, client)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func TestCompactorTakesTurns(t *testing.T) {
	ctx := context.Background()
	client, st := alone(t)
	if got := compacted(t, client); got != 0 {
		t.Errorf("a new etcd is compacted to %d", got)
	}
	write := func(key string) int64 {
		e, err := st.Create(ctx, key, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		return e.Revision
	}
	a, b := etcd3.StoppedCompactor(client, etcd3.CompactorConfig{}), etcd3.StoppedCompactor(client, etcd3.CompactorConfig{})
	step := func(c *etcd3.Compactor) {
		t.Helper()
		if err := etcd3.CompactorStep(c, ctx); err != nil {
			t.Fatal(err)
		}
	}
	write("/pods/1")
	step(a) // the first round of all compacts nothing
	if got := compacted(t, client); got != 0 {
		t.Errorf("the first round compacted to %d", got)
	}
	step(b) // and this one only learns that a was here
	first, _ := st.Revision(ctx)
	write("/pods/2")
	step(a)
	if got := compacted(t, client); got == 0 || got > first {
		t.Errorf("compacted to %d, want what was current at the round before, %d at most", got, first)
	}
	before := compacted(t, client)
	step(b) // it was a's turn
	if got := compacted(t, client); got != before {
		t.Errorf("both compacted in one round: %d, then %d", before, got)
	}
	// a is gone: b takes over.
	write("/pods/3")
	step(b)
	if got := compacted(t, client); got <= before {
		t.Errorf("nobody took over: compacted to %d, was %d", got, before)
	}
	resp, err := client.Get(ctx, compactKey)
	if err != nil || len(resp.Kvs) != 1 {
		t.Fatal(resp, err)
	}
	if want := strconv.FormatInt(compacted(t, client), 10); string(resp.Kvs[0].Value) != want || resp.Kvs[0].Version != 3 {
		t.Errorf("the key has %q in version %d, want %q", resp.Kvs[0].Value, resp.Kvs[0].Version, want)
	}
	if got, err := st.List(ctx, "/pods/", storage.ListOptions{}); err != nil || len(got.Entries) != 3 {
		t.Errorf("after compactions: %+v, %v", got, err)
	}
}

func TestCompactorKeepsWhatIsNeeded(t *testing.T) {
	ctx := context.Background()
	client, st := alone(t)
	e, err := st.Create(ctx, "/pods/0", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	var needed atomic.Int64
	needed.Store(e.Revision)
	var log bytes.Buffer
	c := etcd3.StoppedCompactor(client, etcd3.CompactorConfig{Needed: needed.Load, Log: slog.New(slog.NewTextHandler(&log, nil))})
	rounds := 0
	for ; compacted(t, client) <= e.Revision && rounds < 20; rounds++ {
		if rounds == 3 {
			// What goes on from a revision does so after it.
			w, err := st.Watch(ctx, "/pods/", storage.WatchOptions{After: e.Revision})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Next(ctx); err != nil {
				t.Errorf("a watch from the needed revision: %v", err)
			}
			w.Close()
		}
		if _, err := st.Create(ctx, "/pods/a"+strconv.Itoa(rounds), []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := etcd3.CompactorStep(c, ctx); err != nil {
			t.Fatal(err)
		}
	}
	if rounds < 5 || rounds > 10 || !strings.Contains(log.String(), "has made no progress for too long") {
		t.Errorf("it was kept for %d rounds; the log has %s", rounds, &log)
	}
}

func TestCompactorRuns(t *testing.T) {
	client, st := alone(t)
	c := etcd3.NewCompactor(client, etcd3.CompactorConfig{Interval: 20 * time.Millisecond})
	defer c.Close()
	for begin := time.Now(); compacted(t, client) == 0; {
		if _, err := st.Revision(context.Background()); err != nil || time.Since(begin) > time.Minute {
			t.Fatal("nothing was compacted", err)
		}
		if _, err := st.Create(context.Background(), "/pods/"+strconv.FormatInt(time.Now().UnixNano(), 10), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// ailing is etcd whose first compactions fail.
type ailing struct {
	clientv3.KV
	left atomic.Int64
}

func (a *ailing) Compact(ctx context.Context, revision int64, opts ...clientv3.CompactOption) (*clientv3.CompactResponse, error) {
	if a.left.Add(-1) >= 0 {
		return nil, rpctypes.ErrTimeout
	}
	return a.KV.Compact(ctx, revision, opts...)
}

// A server has had its turn also when its round failed. The next round makes up for it.
func TestCompactorGoesOnAfterAFailure(t *testing.T) {
	real, st := alone(t)
	client := clientv3.NewCtxClient(t.Context())
	sick := &ailing{KV: real.KV}
	sick.left.Store(2)
	client.KV = sick
	c, failed, newest := etcd3.StoppedCompactor(client, etcd3.CompactorConfig{}), 0, int64(0)
	for round := range 6 {
		if err := etcd3.CompactorStep(c, t.Context()); err != nil {
			failed++
		}
		if got := compacted(t, real); failed == 2 && round > 3 && got < newest {
			t.Errorf("round %d: compacted to %d, want %d at least", round, got, newest)
		}
		e, err := st.Create(t.Context(), "/pods/"+strconv.Itoa(round), []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		if round < 3 {
			newest = e.Revision
		}
	}
	if failed != 2 {
		t.Errorf("%d rounds failed, want 2", failed)
	}
}
