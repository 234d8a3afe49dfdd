package encryption

import (
	"bytes"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/storage"
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

func inMemory(t *testing.T, o *opened) storagetest.Backend {
	db := memory.NewDatabase()
	return encrypted(t, storagetest.Backend{
		Open: func(form storage.Form) storage.Interface {
			return memory.New(memory.Config{Database: db, Root: "/registry", Form: form, ProgressInterval: quick})
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

func TestMemory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *opened, _ string, _ bool) {
		t.Parallel()
		storagetest.Run(t, func(t *testing.T) storagetest.Backend { return inMemory(t, o) })
	})
}

// The suite over a cache in front of this, with objects for values, is in registry:
// TestMediaTypesInTheStorageSuite.
func TestEtcd(t *testing.T) {
	t.Parallel()
	client, o := etcd3test.Start(t), open(t, file("pods", keysOf("aesgcm", "k")))
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		db, root := etcd3test.Backend(t, client, func(s *etcd3.Store) storage.Interface { return s })
		return encrypted(t, db, o, root)
	})
}
