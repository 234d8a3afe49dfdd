package etcd3

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/storage"
)

// outcome is what a transaction did. If it is not done, nothing was written. Then current is what
// is at the key now (nil: nothing). conflict is the first operation whose key was not at its
// expected revision but at found.
type outcome struct {
	done     bool
	revision int64
	current  *version
	conflict storage.Op
	found    int64
	lease    clientv3.LeaseID // of what was written
}

// entry is what was written at key.
func (o *outcome) entry(key string, value []byte) storage.Entry {
	return storage.Entry{Key: key, Value: value, Revision: o.revision, Lease: int64(o.lease)}
}

// transaction is one conditional write: of value, or the deletion of what is at key.
type transaction struct {
	op, key string
	base    *version // what must be at key; nil: nothing
	value   []byte   // as it is stored; nil: delete
	with    []storage.Op
	lease   clientv3.LeaseID // 0: none
}

// put writes value at key, where base must be, and the operations with it.
func (s *Store) put(ctx context.Context, op, key string, base *version, value []byte, with []storage.Op) (outcome, error) {
	if err := storage.CheckOps(op, key, with); err != nil {
		return outcome{}, err
	}
	stored, err := s.form.WriteValue(key, value)
	if err != nil {
		return outcome{}, err
	}
	if stored == nil {
		stored = []byte{}
	}
	lifetime, with := storage.SplitOps(with)
	t := transaction{op: op, key: key, base: base, value: stored, with: with}
	switch {
	case lifetime > 0:
		return s.putFor(ctx, t, lifetime)
	case base != nil:
		t.lease = clientv3.LeaseID(base.Lease)
	}
	return s.commit(ctx, t)
}

// putFor carries out t with a lease. One that was used before may have ended in etcd before we
// thought.
func (s *Store) putFor(ctx context.Context, t transaction, lifetime time.Duration) (out outcome, err error) {
	for range 2 {
		if t.lease, err = s.leases.take(ctx, lifetime); err != nil {
			return outcome{}, leaseError(ctx, t.op, t.key, err)
		}
		if out, err = s.commit(ctx, t); !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return out, err
		}
		s.leases.forget(t.lease)
	}
	return out, err
}

// remove deletes key, where base must be, and carries out the operations with it.
func (s *Store) remove(ctx context.Context, key string, base *version, with []storage.Op) (outcome, error) {
	if err := storage.CheckDeleteOps(key, with); err != nil {
		return outcome{}, err
	}
	return s.commit(ctx, transaction{op: "delete", key: key, base: base, with: with})
}

// run sends t to etcd once.
func (s *Store) run(ctx context.Context, t transaction) (outcome, error) {
	full, expected := s.root+t.key, int64(0)
	if t.base != nil {
		expected = t.base.Revision
	}
	then := clientv3.OpDelete(full)
	if t.value != nil {
		then = put(full, t.value, clientv3.WithLease(t.lease))
	}
	ifs := []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(full), "=", expected)}
	thens := []clientv3.Op{then}
	elses := []clientv3.Op{clientv3.OpGet(full)}
	for _, o := range t.with {
		full := s.root + o.Key
		ifs = append(ifs, clientv3.Compare(clientv3.ModRevision(full), "=", o.Expected))
		elses = append(elses, clientv3.OpGet(full, clientv3.WithKeysOnly()))
		switch o.Act {
		case storage.Put:
			thens = append(thens, put(full, o.Value))
		case storage.Remove:
			thens = append(thens, clientv3.OpDelete(full))
		}
	}
	ifs, elses = s.barred(ifs, elses)
	resp, err := s.client.Txn(ctx).If(ifs...).Then(thens...).Else(elses...).Commit()
	if err != nil {
		return outcome{}, err
	}
	if resp.Succeeded {
		return outcome{done: true, revision: resp.Header.Revision, lease: t.lease}, nil
	}
	if s.up(resp) {
		return outcome{}, s.barredError(t.op, t.key)
	}
	out := outcome{current: s.version(t.key, resp.Responses[0].GetResponseRange().Kvs)}
	for i, o := range t.with {
		found := int64(0)
		if kvs := resp.Responses[i+1].GetResponseRange().Kvs; len(kvs) > 0 {
			found = kvs[0].ModRevision
		}
		if found != o.Expected {
			out.conflict, out.found = o, found
			break
		}
	}
	return out, nil
}

// put writes value at key. The value is a part of the request, which nobody changes: the caller
// gave it away.
func put(key string, value []byte, opts ...clientv3.OpOption) clientv3.Op {
	op := clientv3.OpPut(key, "", opts...)
	op.WithValueBytes(value)
	return op
}

// Pauses after a failure, and between writers that want the same key.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// backoff spreads those who try again: each pause is a random part of a limit that doubles. With
// the zero limit, which is for writers that want the same key, the first repetition comes at once,
// the others within 1, 2, 4 … 64 ms.
type backoff struct {
	limit, most time.Duration
}

func (b *backoff) next(ctx context.Context) error {
	if b.limit == 0 {
		b.limit, b.most = time.Millisecond, 64*time.Millisecond
		return ctx.Err()
	}
	return wait.Sleep(ctx, b.pause())
}

// pause is the next one, and doubles the limit of the one behind it.
func (b *backoff) pause() time.Duration {
	if b.most == 0 {
		b.most = lastPause
	}
	pause := rand.N(b.limit)
	b.limit = min(2*b.limit, b.most)
	return pause
}
