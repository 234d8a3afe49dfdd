package serve

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/etcd3"
)

func TestWatchCacheFlag(t *testing.T) {
	for _, on := range []bool{true, false} {
		o := NewOptions("library")
		o.Store.DataDir, o.Store.WatchCache = t.TempDir(), on
		db, err := Server{}.openDatabase(t.Context(), &o.Store, func(string) {}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		store, err := db.store("/books/", storage.Form{}, db.newWriteCache())
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

// TestOnceFilled: what waits for the caches is called when they are filled, and never after the
// end.
func TestOnceFilled(t *testing.T) {
	o := NewOptions("library")
	o.Store.DataDir = t.TempDir()
	db, err := Server{}.openDatabase(t.Context(), &o.Store, func(string) {}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"/books/", "/shelves/"} {
		if _, err := db.store(prefix, storage.Form{}, db.newWriteCache()); err != nil {
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

// A server compares the members of a cluster before it serves anything; a command only reads, and
// may be what finds the difference.
func TestMembersThatDifferAreRefused(t *testing.T) {
	o := &StoreOptions{EtcdPrefix: "/registry"}
	var etcds []*etcd
	for _, value := range []string{betaJSON, unknownJSON} {
		e := startEtcd(t, map[string]string{prefix + "ns/beta": value})
		etcds = append(etcds, e)
		o.EtcdServers = append(o.EtcdServers, "unix://"+e.Socket())
	}
	logger := slog.New(slog.DiscardHandler)
	d, err := Server{}.openDatabase(t.Context(), o, func(string) {}, logger)
	for begin := time.Now(); err == nil && time.Since(begin) < time.Minute; { // one was too slow to answer
		d.close()
		d, err = Server{}.openDatabase(t.Context(), o, func(string) {}, logger)
	}
	if !errors.Is(err, etcd3.ErrDiverged) || !strings.Contains(err.Error(), "--etcd-servers: ") {
		t.Fatalf("opened: %v, %v", d, err)
	}
	must(t, "inspect", prefix+"ns/beta", "--etcd-servers", strings.Join(o.EtcdServers, ","))

	// They become the same, in what is not compacted.
	for _, e := range etcds {
		e.put(t, prefix+"ns/beta", betaJSON)
		e.put(t, prefix+"ns/beta", betaJSON)
		if _, err := e.Client().Compact(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
	}
	if d, err = (Server{}).openDatabase(t.Context(), o, func(string) {}, logger); err != nil {
		t.Fatal(err)
	}
	if err := d.close(); err != nil {
		t.Error(err)
	}
}
