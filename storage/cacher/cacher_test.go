package cacher_test

import (
	"context"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/storagetest"
)

const quick = 20 * time.Millisecond

func start(t testing.TB, config cacher.Config) *cacher.Cacher {
	t.Helper()
	if config.Prefix == "" {
		config.Prefix = "/pods/"
	}
	if config.BookmarkEvery == 0 {
		config.BookmarkEvery = quick
	}
	c, err := cacher.New(config)
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

func TestStore(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		db := memory.NewDatabase()
		return storagetest.Backend{
			Open: func(form storage.Form) storage.Interface {
				source := memory.New(memory.Config{Database: db, Root: "/registry", Form: form, ProgressInterval: quick})
				return start(t, cacher.Config{Source: source})
			},
			Put: func(key string, raw []byte) int64 { return db.Put("/registry"+key, raw) },
			Get: func(key string) ([]byte, int64) { return db.Get("/registry" + key) },
			Compact: func(revision int64) {
				if err := db.Compact(revision); err != nil {
					t.Fatal(err)
				}
			},
			Remembers:      true,
			ProgressWithin: 2 * quick,
		}
	})
}
