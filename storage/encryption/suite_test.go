package encryption

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
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

// encrypted is db with encrypted values at the keys of pods, and plain ones elsewhere.
func encrypted(t *testing.T, db storagetest.Backend, o *opened, root string) storagetest.Backend {
	inPods := func(key string) bool { return strings.HasPrefix(key, "/pods/") }
	get := db.Get
	db.Get = func(key string) ([]byte, int64) {
		stored, revision := get(key)
		if revision != 0 && inPods(key) && !bytes.HasPrefix(stored, []byte(encryptedPrefix)) {
			t.Errorf("%s holds the plain value %q", key, stored)
		}
		return stored, revision
	}
	return storagetest.In(db, inPods, func(inner storage.Form) storage.Form {
		return o.Form(Target{Resource: pods, Root: root, Form: inner})
	})
}

func inMemory(t *testing.T, o *opened, wrap func(cacher.Source) storage.Interface) storagetest.Backend {
	db := memory.NewDatabase()
	return encrypted(t, storagetest.Backend{
		Open: func(form storage.Form) storage.Interface {
			return wrap(memory.New(memory.Config{Database: db, Root: "/registry", Form: form, ProgressInterval: quick}))
		},
		Put: func(key string, value []byte) int64 { return db.Put("/registry"+key, value) },
		Get: func(key string) ([]byte, int64) { return db.Get("/registry" + key) },
		Compact: func(revision int64) {
			if err := db.Compact(revision); err != nil {
				t.Fatal(err)
			}
		},
		ProgressWithin: 2 * quick,
	}, o, "/registry")
}

func bare(s cacher.Source) storage.Interface { return s }

func cached(t *testing.T) func(cacher.Source) storage.Interface {
	return func(s cacher.Source) storage.Interface {
		c, err := cacher.New(cacher.Config{Source: s, Prefix: "/pods/", BookmarkEvery: quick})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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
	server, err := embedded.Start(context.Background(), embedded.Config{Dir: dir, ProgressInterval: progress, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client, ctx, n := server.Client(), context.Background(), 0
	o := open(t, file("pods", keysOf("aesgcm", "k")))
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		n++
		root := fmt.Sprintf("/test%d", n)
		return encrypted(t, storagetest.Backend{
			Open: func(form storage.Form) storage.Interface {
				return etcd3.New(client, etcd3.Config{Root: root, Form: form})
			},
			Put: func(key string, value []byte) int64 {
				resp, err := client.Put(ctx, root+key, string(value))
				if err != nil {
					t.Fatal(err)
				}
				return resp.Header.Revision
			},
			Get: func(key string) ([]byte, int64) {
				resp, err := client.Get(ctx, root+key)
				if err != nil {
					t.Fatal(err)
				}
				if len(resp.Kvs) == 0 {
					return nil, 0
				}
				return resp.Kvs[0].Value, resp.Kvs[0].ModRevision
			},
			Compact: func(revision int64) {
				if _, err := client.Compact(ctx, revision); err != nil {
					t.Fatal(err)
				}
			},
			ProgressWithin: 2 * progress,
		}, o, root)
	})
}
