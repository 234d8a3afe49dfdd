package boot

import (
	"context"
	"log/slog"
	"testing"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

func TestWatchCacheFlag(t *testing.T) {
	for _, on := range []bool{true, false} {
		o := NewOptions("library")
		o.Store.DataDir, o.Store.WatchCache = t.TempDir(), on
		db, err := openDatabase(t.Context(), &o.Store, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		store, err := db.store("/books/", storage.Form{}, db.newRecall())
		if err != nil {
			t.Fatal(err)
		}
		if _, cached := store.(*cacher.Cacher); cached != on {
			t.Errorf("WatchCache %v: the store is a %T", on, store)
		}
		if _, err := store.List(t.Context(), "/books/", storage.ListOptions{}); err != nil {
			t.Errorf("WatchCache %v: %v", on, err)
		}
		if err := db.close(); err != nil {
			t.Errorf("WatchCache %v: %v", on, err)
		}
	}
}

// TestOnceFilled: what waits for the caches is called when they are filled, and never after the end.
func TestOnceFilled(t *testing.T) {
	o := NewOptions("library")
	o.Store.DataDir = t.TempDir()
	db, err := openDatabase(t.Context(), &o.Store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"/books/", "/shelves/"} {
		if _, err := db.store(prefix, storage.Form{}, db.newRecall()); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	db.onceFilled(t.Context(), func() {
		calls++
		for _, c := range db.caches {
			if c.Stats().Revision == 0 {
				t.Error("a cache is not filled")
			}
		}
	})
	ended, end := context.WithCancel(t.Context())
	end()
	db.onceFilled(ended, func() { calls++ })
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
	if err := db.close(); err != nil {
		t.Fatal(err)
	}
}
