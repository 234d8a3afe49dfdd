package etcd3

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
	"unsafe"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
)

// outcome is what a transaction did. If it is not done, nothing was written, current is the entry that is at the key
// now, and conflict the first operation whose key was not at its expected revision but at found.
type outcome struct {
	done     bool
	revision int64
	current  *storage.Entry
	conflict storage.Op
	found    int64
}

// put writes value at key, which must be at revision expected (0: not there), and the operations with it.
func (s *Store) put(ctx context.Context, op, key string, expected int64, value []byte, with []storage.Op) (outcome, error) {
	if err := storage.CheckOps(op, key, with); err != nil {
		return outcome{}, err
	}
	stored, err := s.form.WriteValue(key, value)
	if err != nil {
		return outcome{}, err
	}
	full := s.root + key
	ifs := []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(full), "=", expected)}
	thens := []clientv3.Op{clientv3.OpPut(full, text(stored))}
	elses := []clientv3.Op{clientv3.OpGet(full)}
	for _, o := range with {
		full := s.root + o.Key
		ifs = append(ifs, clientv3.Compare(clientv3.ModRevision(full), "=", o.Expected))
		thens = append(thens, clientv3.OpPut(full, text(o.Value)))
		elses = append(elses, clientv3.OpGet(full, clientv3.WithKeysOnly()))
	}
	return s.commit(ctx, op, key, expected, ifs, thens, elses, with)
}

// remove deletes key, which must be at revision expected.
func (s *Store) remove(ctx context.Context, key string, expected int64) (outcome, error) {
	full := s.root + key
	return s.commit(ctx, "delete", key, expected,
		[]clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(full), "=", expected)},
		[]clientv3.Op{clientv3.OpDelete(full)}, []clientv3.Op{clientv3.OpGet(full)}, nil)
}

func (s *Store) commit(ctx context.Context, op, key string, expected int64, ifs []clientv3.Cmp, thens, elses []clientv3.Op, with []storage.Op) (outcome, error) {
	resp, err := s.client.Txn(ctx).If(ifs...).Then(thens...).Else(elses...).Commit()
	if err != nil {
		if errors.Is(err, rpctypes.ErrNoSpace) && s.unchanged(ctx, key, expected) {
			return outcome{}, &storage.Error{Code: storage.CodeUnavailable, Op: op, Key: key, Err: errNoSpace}
		}
		return outcome{}, writeError(ctx, op, key, err)
	}
	if resp.Succeeded {
		return outcome{done: true, revision: resp.Header.Revision}, nil
	}
	var out outcome
	if kvs := resp.Responses[0].GetResponseRange().Kvs; len(kvs) > 0 {
		e := s.form.ReadEntry(key, kvs[0].Value, kvs[0].ModRevision)
		out.current = &e
	}
	for i, o := range with {
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

// unchanged says that key is certainly still at revision expected. etcd may say that it has no space and have written
// all the same, because it looks at the quota twice.
func (s *Store) unchanged(ctx context.Context, key string, expected int64) bool {
	resp, err := s.client.Get(ctx, s.root+key, clientv3.WithKeysOnly())
	if err != nil {
		return false
	}
	if len(resp.Kvs) == 0 {
		return expected == 0
	}
	return resp.Kvs[0].ModRevision == expected
}

// text is the bytes of b as the string that etcd's client wants, which copies it into its request. The caller gave b
// away, so nobody changes it meanwhile.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// backoff spreads writers that want the same key: the first repetition comes at once, the others after a random part
// of 1, 2, 4 … at most 64 ms.
type backoff struct{ limit time.Duration }

func newBackoff() *backoff { return &backoff{} }

func (b *backoff) next(ctx context.Context) error {
	if b.limit == 0 {
		b.limit = time.Millisecond
		return ctx.Err()
	}
	timer := time.NewTimer(rand.N(b.limit))
	defer timer.Stop()
	b.limit = min(2*b.limit, 64*time.Millisecond)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
