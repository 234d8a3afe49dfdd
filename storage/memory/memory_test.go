package memory_test

import (
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/storagetest"
)

func TestStore(t *testing.T) {
	const progress = 20 * time.Millisecond
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		db := memory.NewDatabase()
		return storagetest.Backend{
			Open: func(form storage.Form) storage.Interface {
				return memory.New(memory.Config{Database: db, Root: "/registry", Form: form, ProgressInterval: progress})
			},
			Put: func(key string, raw []byte) int64 { return db.Put("/registry"+key, raw) },
			Get: func(key string) ([]byte, int64) { return db.Get("/registry" + key) },
			Compact: func(revision int64) {
				if err := db.Compact(revision); err != nil {
					t.Fatal(err)
				}
			},
			ProgressWithin: progress,
		}
	})
}
