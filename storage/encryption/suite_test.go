package encryption

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/encryption/kmstest"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/storagetest"
)

// raw is a database without any encryption.
type raw struct {
	open    func(form storage.Form) storage.Interface
	put     func(key string, value []byte) int64
	get     func(key string) ([]byte, int64)
	compact func(revision int64)
}

// encrypted is a database to which the suite's values are encrypted. What the suite writes past the store it means
// encrypted, too: everything at a key of pods is, and nothing elsewhere.
func encrypted(t *testing.T, db raw, o *opened, root string) storagetest.Backend {
	target := Target{Resource: pods, Root: root}
	form := o.Form(target)
	inPods := func(key string) bool { return bytes.HasPrefix([]byte(key), []byte("/pods/")) }
	return storagetest.Backend{
		Open: func(inner storage.Form) storage.Interface {
			target.Form = inner
			crypt := o.Form(target)
			return sealedOps{form, inPods, db.open(storage.Form{
				Canonical: func(key string, stored []byte) ([]byte, bool, error) {
					if !inPods(key) {
						return stored, false, nil
					}
					return crypt.Canonical(key, stored)
				},
				Stored: func(key string, value []byte) ([]byte, error) {
					if !inPods(key) {
						return value, nil
					}
					return crypt.Stored(key, value)
				},
			})}
		},
		Put: func(key string, value []byte) int64 {
			if inPods(key) {
				value = mustStore(t, form, key, value)
			}
			return db.put(key, value)
		},
		Get: func(key string) ([]byte, int64) {
			stored, revision := db.get(key)
			if revision == 0 || !inPods(key) {
				return stored, revision
			}
			if !bytes.HasPrefix(stored, []byte(encryptedPrefix)) {
				t.Errorf("%s holds the plain value %q", key, stored)
			}
			value, _, err := form.Canonical(key, stored)
			if err != nil {
				t.Error(err)
			}
			return value, revision
		},
		Compact: db.compact,
	}
}

// sealedOps encrypts the operations at keys of pods, which the contract writes as they are.
type sealedOps struct {
	form   storage.Form
	inPods func(string) bool
	storage.Interface
}

func (s sealedOps) seal(with []storage.Op) []storage.Op {
	var out []storage.Op
	for _, op := range with {
		if s.inPods(op.Key) {
			op.Value, _ = s.form.Stored(op.Key, op.Value)
		}
		out = append(out, op)
	}
	return out
}

func (s sealedOps) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	return s.Interface.Create(ctx, key, value, s.seal(with)...)
}

func (s sealedOps) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return s.Interface.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
		value, with, err := try(current)
		return value, s.seal(with), err
	})
}

func inMemory(t *testing.T, o *opened, wrap func(cacher.Source) storage.Interface) storagetest.Backend {
	db := memory.NewDatabase()
	b := encrypted(t, raw{
		open: func(form storage.Form) storage.Interface {
			return wrap(memory.New(memory.Config{Database: db, Root: "/registry", Form: form, ProgressInterval: quick}))
		},
		put: func(key string, value []byte) int64 { return db.Put("/registry"+key, value) },
		get: func(key string) ([]byte, int64) { return db.Get("/registry" + key) },
		compact: func(revision int64) {
			if err := db.Compact(revision); err != nil {
				t.Fatal(err)
			}
		},
	}, o, "/registry")
	b.ProgressWithin = 2 * quick
	return b
}

func bare(s cacher.Source) storage.Interface { return s }

func cached(t *testing.T) func(cacher.Source) storage.Interface {
	return func(s cacher.Source) storage.Interface {
		c, err := cacher.New(cacher.Config{Source: s, Prefix: "/pods/", BookmarkEvery: quick})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := c.WaitReady(ctx); err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *opened, _ string, _ bool) {
		t.Parallel()
		storagetest.Run(t, func(t *testing.T) storagetest.Backend { return inMemory(t, o, bare) })
	})
}

func TestCacher(t *testing.T) {
	t.Parallel()
	o := open(t, file("pods", kmsOf("plug", kmstest.Start(t))))
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		b := inMemory(t, o, cached(t))
		b.Remembers = true
		return b
	})
}

func TestEtcd(t *testing.T) {
	t.Parallel()
	const progress = 100 * time.Millisecond
	dir, err := os.MkdirTemp("", "crypt") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	server, err := embedded.Start(context.Background(), embedded.Config{Dir: dir, ProgressInterval: progress})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client, ctx, n := server.Client(), context.Background(), 0
	o := open(t, file("pods", keysOf("aesgcm", "k")))
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		n++
		root := fmt.Sprintf("/test%d", n)
		b := encrypted(t, raw{
			open: func(form storage.Form) storage.Interface {
				return etcd3.New(client, etcd3.Config{Root: root, Form: form})
			},
			put: func(key string, value []byte) int64 {
				resp, err := client.Put(ctx, root+key, string(value))
				if err != nil {
					t.Fatal(err)
				}
				return resp.Header.Revision
			},
			get: func(key string) ([]byte, int64) {
				resp, err := client.Get(ctx, root+key)
				if err != nil {
					t.Fatal(err)
				}
				if len(resp.Kvs) == 0 {
					return nil, 0
				}
				return resp.Kvs[0].Value, resp.Kvs[0].ModRevision
			},
			compact: func(revision int64) {
				if _, err := client.Compact(ctx, revision); err != nil {
					t.Fatal(err)
				}
			},
		}, o, root)
		b.ProgressWithin = 2 * progress
		return b
	})
}
