package etcd3_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// silent is an etcd that takes its time: for each of its first answers, of one key each, as long as
// takes; the next one never comes.
type silent struct {
	clientv3.KV
	takes   time.Duration
	answers int
}

func (s *silent) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if s.answers == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s.answers--
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	kv := &mvccpb.KeyValue{Key: fmt.Appendf(nil, "/pods/%02d", 99-s.answers), Value: []byte("x"), ModRevision: 1}
	return &clientv3.GetResponse{Header: &etcdserverpb.ResponseHeader{Revision: 1}, Kvs: []*mvccpb.KeyValue{kv}, Count: 20, More: s.answers > 0}, nil
}

// A read of an etcd that does not answer ends before the request does, and says that the storage
// can't be reached. One whose caller has less time ends with that. A list that goes on may take as
// long as it has to. The clock is not the real one.
func TestEtcdDoesNotAnswer(t *testing.T) {
	const patience = 30 * time.Second
	for name, read := range map[string]func(context.Context, *etcd3.Store) error{
		"get": func(ctx context.Context, s *etcd3.Store) error {
			_, err := s.Get(ctx, "/pods/a", storage.GetOptions{})
			return err
		},
		"list": func(ctx context.Context, s *etcd3.Store) error {
			_, err := s.List(ctx, "/pods/", storage.ListOptions{})
			return err
		},
		"page": func(ctx context.Context, s *etcd3.Store) error {
			_, err := s.List(ctx, "/pods/", storage.ListOptions{Limit: 10})
			return err
		},
		"count": func(ctx context.Context, s *etcd3.Store) error {
			_, err := s.Count(ctx, "/pods/")
			return err
		},
		"revision": func(ctx context.Context, s *etcd3.Store) error {
			_, err := s.Revision(ctx)
			return err
		},
		"keys": func(ctx context.Context, s *etcd3.Store) error {
			return s.EachRevision(ctx, "/pods/", 1, func(string, int64) {})
		},
		"an update's read": func(ctx context.Context, s *etcd3.Store) error {
			_, err := s.GuaranteedUpdate(ctx, "/pods/a", func(storage.Entry) ([]byte, []storage.Op, error) { panic("there is nothing") })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := etcd3.New(&etcd3.Client{KV: &silent{}}, etcd3.Config{})
				begin := time.Now()
				if err := read(t.Context(), s); storage.CodeOf(err) != storage.CodeUnavailable || !errors.Is(err, storage.ErrNoAnswer) || time.Since(begin) != patience {
					t.Errorf("after %v: %v", time.Since(begin), err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience/3)
				defer cancel()
				begin = time.Now()
				if err := read(ctx, s); !errors.Is(err, context.DeadlineExceeded) || storage.CodeOf(err) == storage.CodeUnavailable || time.Since(begin) != patience/3 {
					t.Errorf("with less time, after %v: %v", time.Since(begin), err)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := etcd3.New(&etcd3.Client{KV: &silent{takes: patience - time.Second, answers: 20}}, etcd3.Config{})
		begin := time.Now()
		page, err := s.List(t.Context(), "/pods/", storage.ListOptions{})
		if err != nil || len(page.Entries) != 20 || time.Since(begin) != 20*(patience-time.Second) {
			t.Errorf("a long list that goes on: %d entries after %v, %v", len(page.Entries), time.Since(begin), err)
		}
	})
}
