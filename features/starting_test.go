package features_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestStartWaitsForStorage lets one request of a start fail, each in its turn, as while etcd
// elects a leader: the start goes on when the storage is back.
func TestStartWaitsForStorage(t *testing.T) {
	start := func(t *testing.T, db *memory.Database, fail int64, code storage.Code) (requests int64, err error) {
		f := &failing{fail: fail, code: code}
		program := typeplane.Server{Name: "plane", APIs: features.All(), Storage: func(context.Context, typeplane.StorageConfig) (storage.Backend, error) {
			return storage.Backend{Shared: true, Open: func(root string, form storage.Form) storage.Interface {
				return &failingStore{memory.New(memory.Config{Database: db, Root: root, Form: form}), f}
			}}, nil
		}}
		o := typeplane.NewOptions(program.Name)
		o.Serving.SecurePort, o.Store.DataDir, o.Log = 0, t.TempDir(), slog.New(slog.DiscardHandler)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		instance, err := typeplane.Open(ctx, program, o)
		if err != nil {
			return 0, err
		}
		requests = f.requests.Load()
		stop()
		return requests, instance.Serve(ctx)
	}
	used := memory.NewDatabase()
	first, err := start(t, memory.NewDatabase(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	again, err := start(t, used, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a first start makes %d requests, another %d", first, again)
	const samples = 8
	for _, code := range []storage.Code{storage.CodeUnavailable, storage.CodeUnknown} {
		for i := range int64(samples) {
			for name, n := range map[string]int64{"first": first, "another": again} {
				fail := 1 + i*(n-1)/(samples-1)
				t.Run(fmt.Sprintf("%s start, request %d, %s", name, fail, code), func(t *testing.T) {
					t.Parallel()
					db := memory.NewDatabase()
					if name == "another" {
						if _, err := start(t, db, 0, 0); err != nil {
							t.Fatal(err)
						}
					}
					if _, err := start(t, db, fail, code); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// failing is a storage of which one request fails, counted from 1.
type failing struct {
	requests atomic.Int64
	fail     int64
	code     storage.Code
}

type failingStore struct {
	storage.Interface
	*failing
}

// fails counts a request, and returns its error. With CodeUnknown a write is carried out before.
func (f *failing) fails(op, key string, write bool) (before, after error) {
	if f.requests.Add(1) != f.fail {
		return nil, nil
	}
	if write && f.code == storage.CodeUnknown {
		return nil, &storage.Error{Code: storage.CodeUnknown, Op: op, Key: key}
	}
	return &storage.Error{Code: storage.CodeUnavailable, Op: op, Key: key, Err: storage.ErrNoQuorum}, nil
}

func (s *failingStore) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	if err, _ := s.fails("get", key, false); err != nil {
		return storage.Entry{}, err
	}
	return s.Interface.Get(ctx, key, opts)
}

func (s *failingStore) List(ctx context.Context, prefix string, opts storage.ListOptions) (storage.Page, error) {
	if err, _ := s.fails("list", prefix, false); err != nil {
		return storage.Page{}, err
	}
	return s.Interface.List(ctx, prefix, opts)
}

func (s *failingStore) Count(ctx context.Context, prefix string) (int64, error) {
	if err, _ := s.fails("count", prefix, false); err != nil {
		return 0, err
	}
	return s.Interface.Count(ctx, prefix)
}

func (s *failingStore) Revision(ctx context.Context) (int64, error) {
	if err, _ := s.fails("revision", "/", false); err != nil {
		return 0, err
	}
	return s.Interface.Revision(ctx)
}

func (s *failingStore) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	before, after := s.fails("create", key, true)
	if before != nil {
		return storage.Entry{}, before
	}
	entry, err := s.Interface.Create(ctx, key, value, with...)
	if after != nil {
		return storage.Entry{}, after
	}
	return entry, err
}

func (s *failingStore) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	before, after := s.fails("update", key, true)
	if before != nil {
		return storage.Entry{}, before
	}
	entry, err := s.Interface.GuaranteedUpdate(ctx, key, try)
	if after != nil {
		return storage.Entry{}, after
	}
	return entry, err
}
