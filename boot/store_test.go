package boot

import (
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
