package etcd3_test

import (
	"context"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// TestBarrier: behind the barrier nothing is read or written, a watch ends in the order of what
// happens, and all goes on when it is taken away.
func TestBarrier(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	root := freshRoot()
	plain := etcd3.New(server.Client(), etcd3.Config{Root: root})
	s := etcd3.New(server.Client(), etcd3.Config{Root: root, Barrier: etcd3.Barrier("/pods/")})
	first, err := s.Create(ctx, "/pods/a", []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	known, err := s.Get(ctx, "/pods/a", storage.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Watch(ctx, "/pods/", storage.WatchOptions{After: first.Revision - 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	up, err := plain.Create(ctx, etcd3.Barrier("/pods/"), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	same := func(e storage.Entry) ([]byte, []storage.Op, error) { return e.Value, nil, nil }
	other := func(storage.Entry) ([]byte, []storage.Op, error) { return []byte("2"), nil, nil }
	for name, do := range map[string]func() error{
		"get":          func() error { _, err := s.Get(ctx, "/pods/a", storage.GetOptions{}); return err },
		"list":         func() error { _, err := s.List(ctx, "/pods/", storage.ListOptions{}); return err },
		"create":       func() error { _, err := s.Create(ctx, "/pods/b", []byte("1")); return err },
		"update":       func() error { _, err := s.GuaranteedUpdate(ctx, "/pods/a", other); return err },
		"known":        func() error { _, err := s.UpdateKnown(ctx, known, other); return err },
		"known, same":  func() error { _, err := s.UpdateKnown(ctx, known, same); return err },
		"delete":       func() error { _, err := s.Delete(ctx, "/pods/a", nil); return err },
		"delete known": func() error { _, err := s.DeleteKnown(ctx, known, nil); return err },
	} {
		if err := do(); storage.CodeOf(err) != storage.CodeMoved {
			t.Errorf("%s behind the barrier: %v", name, err)
		}
	}
	// What is deleted behind the barrier is no deletion for who watches.
	if _, err := plain.Delete(ctx, "/pods/a", nil); err != nil {
		t.Fatal(err)
	}
	events, err := w.Next(ctx)
	if err != nil || len(events) != 1 || events[0].Entry.Revision != first.Revision {
		t.Errorf("before the barrier came %+v, %v", events, err)
	}
	if events, err := w.Next(ctx); storage.CodeOf(err) != storage.CodeMoved {
		t.Errorf("at the barrier came %+v, %v", events, err)
	}
	if page, err := plain.List(ctx, "/pods/", storage.ListOptions{}); err != nil || len(page.Entries) != 0 {
		t.Errorf("the barrier is among the entries: %+v, %v", page.Entries, err)
	}

	if _, err := plain.Delete(ctx, etcd3.Barrier("/pods/"), nil); err != nil {
		t.Fatal(err)
	}
	again, err := s.Watch(ctx, "/pods/", storage.WatchOptions{After: up.Revision - 1})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	created, err := s.Create(ctx, "/pods/c", []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	var seen []storage.Event
	for len(seen) < 2 {
		events, err := again.Next(ctx)
		if err != nil {
			t.Fatalf("over a barrier that is gone: %v", err)
		}
		seen = append(seen, events...)
	}
	if seen[0].Type != storage.Deleted || seen[0].Entry.Key != "/pods/a" || seen[1].Entry.Revision != created.Revision {
		t.Errorf("over a barrier that is gone came %+v", seen)
	}
}

// TestReadsBeforeTheBarrierAreTriedAgain: a read is a transaction where a barrier may be. One that
// etcd could not take is sent again, as a range is; what it has said stands.
func TestReadsBeforeTheBarrierAreTriedAgain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dying := status.Error(codes.Unavailable, "error reading from server: EOF")
	for _, tc := range []struct {
		name   string
		faults []fault
		want   storage.Code
		ok     bool
		sent   int
	}{
		{"the leader is another one", []fault{{false, nil, rpctypes.ErrLeaderChanged}}, 0, true, 2},
		{"there is no leader, and the member dies", []fault{{false, nil, rpctypes.ErrNoLeader}, {true, nil, dying}}, 0, true, 3},
		{"its data is damaged", []fault{{false, nil, rpctypes.ErrCorrupt}}, storage.CodeUnavailable, false, 1},
		{"it is forbidden", []fault{{false, nil, rpctypes.ErrPermissionDenied}}, storage.CodeOther, false, 1},
	} {
		root := freshRoot()
		if _, err := etcd3.New(server.Client(), etcd3.Config{Root: root}).Create(ctx, "/pods/a", []byte("1")); err != nil {
			t.Fatal(err)
		}
		kv := &unsure{KV: server.Client().KV, faults: tc.faults}
		client := clientv3.NewCtxClient(ctx)
		client.KV = kv
		s := etcd3.New(client, etcd3.Config{Root: root, Barrier: etcd3.Barrier("/pods/")})
		e, err := s.Get(ctx, "/pods/a", storage.GetOptions{})
		if (err == nil) != tc.ok || err == nil && string(e.Value) != "1" || storage.CodeOf(err) != tc.want || kv.sent != tc.sent {
			t.Errorf("%s: %q, %v after %d times", tc.name, e.Value, err, kv.sent)
		}
	}
}
