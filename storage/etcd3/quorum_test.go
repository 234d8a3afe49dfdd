package etcd3

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/typeplane/typeplane/storage"
)

// fakeMember is a member of a cluster that can do no more than say how it is, and perhaps not even
// that.
type fakeMember struct {
	etcdserverpb.KVClient
	etcdserverpb.MaintenanceClient
	now atomic.Pointer[condition]
}

// condition is how a member is. The zero value waits for a quorum.
type condition struct {
	answers, refuses, silent bool
	leader                   uint64
}

func (f *fakeMember) Range(ctx context.Context, _ *etcdserverpb.RangeRequest, _ ...grpc.CallOption) (*etcdserverpb.RangeResponse, error) {
	for ; !f.now.Load().answers; time.Sleep(time.Millisecond) {
		if f.now.Load().refuses {
			return nil, status.Error(codes.Unavailable, "connection error: dial tcp: connection refused")
		}
		if ctx.Err() != nil {
			return nil, status.FromContextError(ctx.Err()).Err()
		}
	}
	return new(etcdserverpb.RangeResponse), nil
}

func (f *fakeMember) Status(ctx context.Context, _ *etcdserverpb.StatusRequest, _ ...grpc.CallOption) (*etcdserverpb.StatusResponse, error) {
	switch now := f.now.Load(); {
	case now.refuses:
		return nil, status.Error(codes.Unavailable, "connection error: dial tcp: connection refused")
	case now.silent:
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	return &etcdserverpb.StatusResponse{Leader: f.now.Load().leader}, nil
}

// waiting is the cluster that these members are: what is asked of it is answered when one of them
// answers.
type waiting struct {
	clientv3.KV
	members []*fakeMember
	sent    atomic.Int64
}

func (w *waiting) answer(ctx context.Context) error {
	w.sent.Add(1)
	for {
		for _, m := range w.members {
			if m.now.Load().answers {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

func (w *waiting) Get(ctx context.Context, _ string, _ ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	return &clientv3.GetResponse{Header: new(etcdserverpb.ResponseHeader)}, w.answer(ctx)
}

func (w *waiting) Txn(ctx context.Context) clientv3.Txn { return &waitingTxn{waiting: w, ctx: ctx} }

type waitingTxn struct {
	*waiting
	ctx  context.Context
	then int
}

func (t *waitingTxn) If(...clientv3.Cmp) clientv3.Txn      { return t }
func (t *waitingTxn) Then(ops ...clientv3.Op) clientv3.Txn { t.then = len(ops); return t }
func (t *waitingTxn) Else(...clientv3.Op) clientv3.Txn     { return t }
func (t *waitingTxn) Commit() (*clientv3.TxnResponse, error) {
	nothing := make([]*etcdserverpb.ResponseOp, t.then)
	for i := range nothing {
		nothing[i] = &etcdserverpb.ResponseOp{Response: &etcdserverpb.ResponseOp_ResponseRange{ResponseRange: new(etcdserverpb.RangeResponse)}}
	}
	return &clientv3.TxnResponse{Header: &etcdserverpb.ResponseHeader{Revision: 7}, Succeeded: true, Responses: nothing}, t.answer(t.ctx)
}

// TestNoQuorum: what is known to be impossible is refused, and what is under way ends, within five
// seconds; and what is only slow is waited for. The clock is not the real one.
func TestNoQuorum(t *testing.T) {
	const within = 5 * time.Second
	for _, tc := range []struct {
		name    string
		members []condition // once there is trouble
		lasts   time.Duration
		lost    string // what is said of the members; "" if there is a quorum
	}{
		{"two of three are gone", []condition{{refuses: true}, {refuses: true}, {}}, time.Minute, "a (connection refused), b (connection refused), c (knows no leader)"},
		{"two of three are frozen", []condition{{silent: true}, {silent: true}, {}}, time.Minute, "a (does not answer), b (does not answer), c (knows no leader)"},
		{"the only one is gone", []condition{{refuses: true}}, time.Minute, "a (connection refused)"},
		{"cut off from all", []condition{{silent: true}, {silent: true}, {silent: true}}, time.Minute, "a (does not answer), b (does not answer), c (does not answer)"},
		{"a leader is elected", []condition{{refuses: true}, {}, {}}, 1200 * time.Millisecond, ""},
		{"the disks are slow", []condition{{leader: 1}, {leader: 1}, {leader: 1}}, 20 * time.Second, ""},
		{"one of them, which leads, is slow", []condition{{leader: 1}, {refuses: true}, {leader: 1}}, 20 * time.Second, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				endpoints := []string{"a", "b", "c"}[:len(tc.members)]
				w := new(waiting)
				ctx, stop := context.WithCancel(t.Context())
				q := newQuorum(endpoints)
				var watching sync.WaitGroup
				defer watching.Wait()
				defer stop()
				for i := range tc.members {
					m := new(fakeMember)
					m.now.Store(&condition{answers: true})
					w.members = append(w.members, m)
					watching.Go(func() {
						for ; ctx.Err() == nil; time.Sleep(probeEvery) {
							_ = member{m, m}.look(ctx, func(s standing) { q.note(i, s) })
						}
					})
				}
				client := clientv3.NewCtxClient(ctx)
				client.KV = w
				q.wrap(client)
				s := New(client, Config{})
				create := func() error {
					ctx, cancel := context.WithTimeout(ctx, 34*time.Second)
					defer cancel()
					_, err := s.Create(ctx, "/pods/a", []byte("x"))
					return err
				}
				time.Sleep(3500 * time.Millisecond)
				for i, m := range tc.members {
					w.members[i].now.Store(&m)
				}
				trouble := time.Now()
				time.AfterFunc(tc.lasts, func() {
					for _, m := range w.members {
						m.now.Store(&condition{answers: true})
					}
				})
				written, read, got := make(chan error, 1), make(chan error, 1), make(chan error, 1)
				go func() { written <- create() }()
				go func() {
					_, err := s.Revision(ctx)
					read <- err
				}()
				go func() { // a transaction that only reads
					barred := New(client, Config{Barrier: Barrier("/pods/")})
					_, err := barred.Get(ctx, "/pods/a", storage.GetOptions{})
					got <- err
				}()
				writeErr, readErr, getErr := <-written, <-read, <-got
				took := time.Since(trouble)
				if tc.lost == "" {
					if writeErr != nil || readErr != nil || storage.CodeOf(getErr) != storage.CodeNotFound || took < tc.lasts {
						t.Errorf("after %v: %v, %v, %v; want all as soon as it is over", took, writeErr, readErr, getErr)
					}
					return
				}
				if storage.CodeOf(writeErr) != storage.CodeUnknown || !errors.Is(readErr, storage.ErrNoQuorum) || !errors.Is(getErr, storage.ErrNoQuorum) || took > within {
					t.Errorf("what was under way, after %v: %v, %v, %v", took, writeErr, readErr, getErr)
				}
				sent, begin := w.sent.Load(), time.Now()
				err := create()
				if storage.CodeOf(err) != storage.CodeUnavailable || !errors.Is(err, storage.ErrNoQuorum) || !strings.Contains(err.Error(), tc.lost) {
					t.Errorf("a write that begins: %v, want %s", err, tc.lost)
				}
				if err := Ready(ctx, client, time.Minute); !errors.Is(err, storage.ErrNoQuorum) || !strings.Contains(err.Error(), tc.lost) {
					t.Errorf("ready: %v", err)
				}
				if w.sent.Load() != sent || time.Since(begin) != 0 {
					t.Errorf("%d requests were sent, and it took %v", w.sent.Load()-sent, time.Since(begin))
				}
				if err := Await(ctx, client, 2*time.Minute); err != nil || time.Since(trouble) < tc.lasts {
					t.Errorf("who waits for it: %v after %v", err, time.Since(trouble))
				}
				time.Sleep(probeTimeout + probeEvery)
				if err := create(); err != nil || len(Missing(client)) > 0 {
					t.Errorf("when it is over: %v, %v", err, Missing(client))
				}
			})
		})
	}
}
