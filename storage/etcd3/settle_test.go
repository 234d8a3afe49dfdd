package etcd3_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// unsure is etcd whose answers to transactions get lost: each of the first len(faults) goes as its
// fault says.
type unsure struct {
	clientv3.KV
	faults []fault
	sent   int
}

// fault is what happens with one transaction: whether it is carried out, what follows, and what is
// answered.
type fault struct {
	carriedOut bool
	then       func()
	err        error
}

func (u *unsure) Txn(ctx context.Context) clientv3.Txn { return &unsureTxn{u.KV.Txn(ctx), u} }

type unsureTxn struct {
	clientv3.Txn
	kv *unsure
}

func (t *unsureTxn) If(cs ...clientv3.Cmp) clientv3.Txn  { t.Txn = t.Txn.If(cs...); return t }
func (t *unsureTxn) Then(os ...clientv3.Op) clientv3.Txn { t.Txn = t.Txn.Then(os...); return t }
func (t *unsureTxn) Else(os ...clientv3.Op) clientv3.Txn { t.Txn = t.Txn.Else(os...); return t }

func (t *unsureTxn) Commit() (*clientv3.TxnResponse, error) {
	t.kv.sent++
	if len(t.kv.faults) == 0 {
		return t.Txn.Commit()
	}
	f := t.kv.faults[0]
	t.kv.faults = t.kv.faults[1:]
	if f.carriedOut {
		if _, err := t.Txn.Commit(); err != nil {
			return nil, err
		}
	}
	if f.then != nil {
		f.then()
	}
	return nil, f.err
}

// TestOutcomesAreSettled: what can be found out about a write whose answer was lost is, and the
// rest is unknown; also if it began with an entry that somebody knew.
func TestOutcomesAreSettled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	const key = "/pods/a"
	lost := rpctypes.ErrLeaderChanged
	var other *etcd3.Store // another server's, on the same root
	foreign := func(value string) func() {
		return func() {
			_, err := other.GuaranteedUpdate(ctx, key, func(storage.Entry) ([]byte, []storage.Op, error) { return []byte(value), nil, nil })
			if storage.CodeOf(err) == storage.CodeNotFound {
				_, err = other.Create(ctx, key, []byte(value))
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	gone := func() {
		if _, err := other.Delete(ctx, key, nil); err != nil {
			t.Error(err)
		}
	}
	both := func(a, b func()) func() { return func() { a(); b() } }
	for _, tc := range []struct {
		name, verb string
		faults     []fault
		want       storage.Code // 0 with ok: done
		ok         bool
		now        string // the value at the end
		sent       int
	}{
		{"lost on the way", "update", []fault{{false, nil, lost}}, 0, true, "new", 2},
		{"lost twice", "update", []fault{{false, nil, lost}, {false, nil, lost}}, 0, true, "new", 3},
		{"refused, then taken", "update", []fault{{false, nil, rpctypes.ErrNoLeader}}, 0, true, "new", 2},
		{"carried out", "update", []fault{{true, nil, lost}}, storage.CodeUnknown, false, "new", 2},
		{"another was quicker", "update", []fault{{false, foreign("foreign"), lost}}, 0, true, "foreign, new", 3},
		{"another followed", "update", []fault{{true, foreign("foreign"), lost}}, storage.CodeUnknown, false, "foreign", 2},
		{"another wrote the same", "update", []fault{{false, foreign("new"), lost}}, storage.CodeUnknown, false, "new", 2},
		{"another deleted", "update", []fault{{false, gone, lost}}, storage.CodeUnknown, false, "", 2},
		{"another made it anew", "update", []fault{{false, both(gone, foreign("foreign")), lost}}, storage.CodeUnknown, false, "foreign", 2},
		{"no space, not written", "update", []fault{{false, nil, rpctypes.ErrNoSpace}}, storage.CodeNoSpace, false, "old", 1},
		{"no space, written", "update", []fault{{true, nil, rpctypes.ErrNoSpace}}, storage.CodeUnknown, false, "new", 1},
		{"in doubt, then no space", "update", []fault{{false, nil, lost}, {false, nil, rpctypes.ErrNoSpace}}, storage.CodeUnknown, false, "old", 2},

		{"lost on the way", "delete", []fault{{false, nil, lost}}, 0, true, "", 2},
		{"carried out", "delete", []fault{{true, nil, lost}}, storage.CodeUnknown, false, "", 2},
		{"another was quicker", "delete", []fault{{false, foreign("foreign"), lost}}, 0, true, "", 3},
		{"another made it anew", "delete", []fault{{true, foreign("foreign"), lost}}, storage.CodeUnknown, false, "foreign", 2},

		{"lost on the way", "create", []fault{{false, nil, lost}}, storage.CodeUnknown, false, "", 1},
		{"refused, then taken", "create", []fault{{false, nil, rpctypes.ErrNoLeader}, {false, nil, rpctypes.ErrTooManyRequests}}, 0, true, "new", 3},
		{"carried out", "create", []fault{{true, nil, lost}}, 0, true, "new", 1},
		{"carried out, no space", "create", []fault{{true, nil, rpctypes.ErrNoSpace}}, 0, true, "new", 1},
		{"another was quicker", "create", []fault{{false, foreign("foreign"), lost}}, storage.CodeUnknown, false, "foreign", 1},
		{"another followed", "create", []fault{{true, foreign("foreign"), lost}}, storage.CodeUnknown, false, "foreign", 1},
		{"too large", "create", []fault{{false, nil, rpctypes.ErrRequestTooLarge}}, storage.CodeTooLarge, false, "", 1},
	} {
		settle := func(t *testing.T, known bool) {
			root := freshRoot()
			other = etcd3.New(server.Client(), etcd3.Config{Root: root})
			if tc.verb != "create" {
				foreign("old")()
			}
			kv := &unsure{KV: server.Client().KV, faults: tc.faults}
			client := clientv3.NewCtxClient(ctx)
			client.KV = kv
			s := etcd3.New(client, etcd3.Config{Root: root})
			var old, done storage.Entry
			var err error
			if known {
				if old, err = other.Get(ctx, key, storage.GetOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			try := func(current storage.Entry) ([]byte, []storage.Op, error) {
				if string(current.Value) == "foreign" {
					return []byte("foreign, new"), nil, nil
				}
				return []byte("new"), nil, nil
			}
			switch {
			case tc.verb == "create":
				done, err = s.Create(ctx, key, []byte("new"))
			case tc.verb == "update" && known:
				done, err = s.UpdateKnown(ctx, old, try)
			case tc.verb == "update":
				done, err = s.GuaranteedUpdate(ctx, key, try)
			case known:
				done, err = s.DeleteKnown(ctx, old, nil)
			default:
				done, err = s.Delete(ctx, key, nil)
			}
			if (err == nil) != tc.ok || storage.CodeOf(err) != tc.want {
				t.Errorf("got %v, want code %q", err, tc.want)
			}
			if kv.sent != tc.sent {
				t.Errorf("%d transactions were sent, want %d", kv.sent, tc.sent)
			}
			now, err := other.Get(ctx, key, storage.GetOptions{})
			if err != nil && storage.CodeOf(err) != storage.CodeNotFound {
				t.Fatal(err)
			}
			if string(now.Value) != tc.now {
				t.Errorf("the value is %q, want %q", now.Value, tc.now)
			}
			if tc.ok && tc.verb != "delete" && done.Revision != now.Revision {
				t.Errorf("the answer has revision %d, the entry %d", done.Revision, now.Revision)
			}
		}
		t.Run(tc.verb+", "+tc.name, func(t *testing.T) { settle(t, false) })
		if tc.verb != "create" {
			t.Run(tc.verb+" of what is known, "+tc.name, func(t *testing.T) { settle(t, true) })
		}
	}
}

// compacting is etcd that is compacted after each of the first ranges.
type compacting struct {
	clientv3.KV
	ranges int
	left   int
}

func (c *compacting) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	resp, err := c.KV.Get(ctx, key, opts...)
	c.ranges++
	if c.left--; c.left >= 0 && err == nil {
		put, err := c.KV.Put(ctx, "/other", "x")
		if err != nil {
			return nil, err
		}
		_, err = c.KV.Compact(ctx, put.Header.Revision)
		return resp, err
	}
	return resp, err
}

// TestCompactionUnderALongList: nobody asked for a revision that may be gone, so nobody hears of
// it.
func TestCompactionUnderALongList(t *testing.T) {
	ctx, root := context.Background(), freshRoot()
	s := etcd3.New(server.Client(), etcd3.Config{Root: root})
	const n = 1500
	var ops []storage.Op
	for i := range n {
		ops = append(ops, storage.Op{Key: fmt.Sprintf("/pods/%04d", i), Value: []byte("x")})
		if len(ops) == 100 {
			if _, err := s.Create(ctx, ops[0].Key, ops[0].Value, ops[1:]...); err != nil {
				t.Fatal(err)
			}
			ops = nil
		}
	}
	for _, left := range []int{1, 2, 3} {
		client, kv := clientv3.NewCtxClient(ctx), &compacting{KV: server.Client().KV, left: left}
		client.KV = kv
		page, err := etcd3.New(client, etcd3.Config{Root: root}).List(ctx, "/pods/", storage.ListOptions{})
		if err != nil || len(page.Entries) != n || page.Remaining != 0 {
			t.Errorf("compacted %d times: %d entries and %d more, %v", left, len(page.Entries), page.Remaining, err)
		}
		if kv.ranges > 4 {
			t.Errorf("compacted %d times: %d ranges", left, kv.ranges)
		}
		for i, e := range page.Entries {
			if e.Key != fmt.Sprintf("/pods/%04d", i) {
				t.Fatalf("entry %d is %s", i, e.Key)
			}
		}
	}
	// Who names a revision is told that it is gone.
	now, err := s.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	client := clientv3.NewCtxClient(ctx)
	client.KV = &compacting{KV: server.Client().KV, left: 1}
	_, err = etcd3.New(client, etcd3.Config{Root: root}).List(ctx, "/pods/", storage.ListOptions{Match: storage.Exact, Revision: now})
	var e *storage.Error
	if !errors.As(err, &e) || e.Code != storage.CodeCompacted || e.Revision != now || e.Current <= now {
		t.Errorf("an exact list over a compaction: %v", err)
	}
}
