package etcd3

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"

	"github.com/typeplane/typeplane/storage"
)

// Barrier is the key that says, by being there, that the entries below a prefix have gone to
// another database. It is right behind them: no prefix has it, and a watch of them all can take it
// in, in the order of what happens.
func Barrier(prefix string) string { return strings.TrimSuffix(prefix, "/") + "0" } // behind '/' comes '0'

var errBarred = errors.New("what lies below the prefix of this resource moves to another etcd, or has moved")

// barredError is what every operation of a store returns behind its barrier. Nothing was written.
func (s *Store) barredError(op, key string) *storage.Error {
	return &storage.Error{Code: storage.CodeMoved, Op: op, Key: key, Err: errBarred}
}

// barred makes a transaction depend on the absence of the barrier. up says of its answer that the
// barrier is there.
func (s *Store) barred(ifs []clientv3.Cmp, elses []clientv3.Op) ([]clientv3.Cmp, []clientv3.Op) {
	if s.barrier == "" {
		return ifs, elses
	}
	full := s.root + s.barrier
	return append(ifs, clientv3.Compare(clientv3.ModRevision(full), "=", 0)), append(elses, clientv3.OpGet(full, clientv3.WithCountOnly()))
}

func (s *Store) up(resp *clientv3.TxnResponse) bool {
	return s.barrier != "" && resp.Responses[len(resp.Responses)-1].GetResponseRange().Count > 0
}

// getBarred is get of one key, and fails behind the barrier as it is at that moment.
func (s *Store) getBarred(ctx context.Context, key string) ([]*mvccpb.KeyValue, int64, error) {
	if s.barrier == "" {
		resp, err := s.get(ctx, s.root+key)
		if err != nil {
			return nil, 0, err
		}
		return resp.Kvs, resp.Header.Revision, nil
	}
	short, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	resp, err := s.tryRead(short, clientv3.OpGet(s.root+key), clientv3.OpGet(s.root+s.barrier, clientv3.WithCountOnly()))
	if err != nil {
		return nil, 0, s.noAnswer(ctx, short, err)
	}
	if s.up(resp) {
		return nil, 0, s.barredError("get", key)
	}
	return resp.Responses[0].GetResponseRange().Kvs, resp.Header.Revision, nil
}

// tryRead carries out reads in one transaction. It tries again, for patience, while etcd can't take
// that, as when a member dies or has lost its leader. A range is sent again by the client of etcd,
// which does not look into a transaction.
func (s *Store) tryRead(ctx context.Context, reads ...clientv3.Op) (*clientv3.TxnResponse, error) {
	wait := backoff{limit: firstPause}
	for until := time.Now().Add(patience); ; {
		resp, err := s.client.Txn(ctx).Then(reads...).Commit()
		if err == nil || grpcCode(err) != codes.Unavailable || time.Now().After(until) || wait.next(ctx) != nil {
			return resp, err
		}
	}
}

// unbarred fails if the barrier is there. What was read before is of a time before it then, or not.
func (s *Store) unbarred(ctx context.Context, op, key string) error {
	if s.barrier == "" {
		return nil
	}
	resp, err := s.get(ctx, s.root+s.barrier, clientv3.WithCountOnly())
	if err != nil {
		return readError(ctx, op, key, err)
	}
	if resp.Count > 0 {
		return s.barredError(op, key)
	}
	return nil
}

// watchEnd is the end of what a watch of a selection is told of.
func (s *Store) watchEnd(selection string) string {
	if s.barrier != "" && storage.IsPrefix(selection) && Barrier(selection) == s.barrier {
		return s.root + s.barrier + "\x00"
	}
	return rangeEnd(s.root + selection)
}

// passBarrier fails if ev puts the barrier, and it is still there. pass says that ev is about the
// barrier, which was taken away again.
func (w *watcher) passBarrier(ctx context.Context, ev *clientv3.Event) (pass bool, err error) {
	s := w.store
	if s.barrier == "" || string(ev.Kv.Key) != s.root+s.barrier {
		return false, nil
	}
	if ev.Type == clientv3.EventTypeDelete {
		return true, nil
	}
	return true, s.unbarred(ctx, "watch", w.selection)
}
