package database

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/etcd3"
)

func TestWatchCacheFlag(t *testing.T) {
	for _, on := range []bool{true, false} {
		o := program.NewOptions("library")
		o.Store.DataDir, o.Store.WatchCache = t.TempDir(), on
		db, err := Open(t.Context(), program.Server{}, &o.Store, func(string) {}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		store, err := db.Store("/books/", schema.GroupResource{}, storage.Form{}, db.NewWriteCache())
		if err != nil {
			t.Fatal(err)
		}
		if _, cached := store.(*cacher.Cacher); cached != on {
			t.Errorf("WatchCache %v: the store is a %T", on, store)
		}
		if _, err := store.List(t.Context(), "/books/", storage.ListOptions{}); err != nil {
			t.Errorf("WatchCache %v: %v", on, err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("WatchCache %v: %v", on, err)
		}
	}
}

// TestOnceFilled: what waits for the caches is called when they are filled, and never after the
// end.
func TestOnceFilled(t *testing.T) {
	o := program.NewOptions("library")
	o.Store.DataDir = t.TempDir()
	db, err := Open(t.Context(), program.Server{}, &o.Store, func(string) {}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"/books/", "/shelves/"} {
		if _, err := db.Store(prefix, schema.GroupResource{}, storage.Form{}, db.NewWriteCache()); err != nil {
			t.Fatal(err)
		}
	}
	calls := 0
	(&Databases{Main: db}).OnceFilled(t.Context(), func() {
		calls++
		for _, c := range db.caches {
			if c.Stats().Revision == 0 {
				t.Error("a cache is not filled")
			}
		}
	})
	ended, end := context.WithCancel(t.Context())
	end()
	(&Databases{Main: db}).OnceFilled(ended, func() { calls++ })
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A server compares the members of a cluster before it serves anything; a command only reads, and
// may be what finds the difference.
func TestMembersThatDifferAreRefused(t *testing.T) {
	o := &program.StoreOptions{EtcdPrefix: "/registry"}
	var etcds []*programtest.Etcd
	for _, value := range []string{programtest.BetaJSON, programtest.UnknownJSON} {
		e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": value})
		etcds = append(etcds, e)
		o.EtcdServers = append(o.EtcdServers, "unix://"+e.Socket())
	}
	logger := slog.New(slog.DiscardHandler)
	d, err := Open(t.Context(), program.Server{}, o, func(string) {}, logger)
	for begin := time.Now(); err == nil && time.Since(begin) < time.Minute; { // one was too slow to answer
		d.Close()
		d, err = Open(t.Context(), program.Server{}, o, func(string) {}, logger)
	}
	if !errors.Is(err, etcd3.ErrDiverged) || !strings.Contains(err.Error(), "--etcd-servers: ") {
		t.Fatalf("opened: %v, %v", d, err)
	}
	attached, err := AttachEtcd(t.Context(), o, func(string) {}, logger)
	if err != nil {
		t.Fatalf("a command: %v", err)
	}
	if err := attached.Close(); err != nil {
		t.Error(err)
	}

	// They become the same, in what is not compacted.
	for _, e := range etcds {
		e.Put(t, programtest.Prefix+"ns/beta", programtest.BetaJSON)
		e.Put(t, programtest.Prefix+"ns/beta", programtest.BetaJSON)
		if _, err := e.Client().Compact(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
	}
	if d, err = Open(t.Context(), program.Server{}, o, func(string) {}, logger); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
