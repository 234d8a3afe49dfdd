package cacher_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/storagetest"
)

var _ cacher.Source = (*memory.Store)(nil)

// bare is a store with the methods of storage.Interface and no others.
type bare struct{ storage.Interface }

// TestStoreOverBare: a cache keeps the contract over a store that has nothing beside it.
func TestStoreOverBare(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		db := memory.NewDatabase()
		return storagetest.Backend{
			Open: func(form storage.Form) storage.Interface {
				source := memory.New(memory.Config{Database: db, Root: "/registry", Form: form, ProgressInterval: quick})
				return start(t, cacher.Config{Source: bare{source}})
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

// TestReadsOfAPassiveSource: where the source can't be asked how far its watch is, and says nothing
// by itself, reads behind a write of another resource are still answered, and see everything.
func TestReadsOfAPassiveSource(t *testing.T) {
	store := memory.New(memory.Config{ProgressInterval: time.Hour})
	c := start(t, cacher.Config{Source: bare{store}, Prefix: "/pods/", Wait: time.Minute})
	pod, err := store.Create(t.Context(), "/pods/ns/a", []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := store.Create(t.Context(), "/nodes/a", []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string]storage.GetOptions{"newest": {}, "not older": {NotOlderThan: node.Revision}} {
		if got, err := c.Get(t.Context(), "/pods/ns/a", opts); err != nil || got.Revision != pod.Revision {
			t.Errorf("get, %s: got %+v, %v", name, got, err)
		}
	}
	for name, opts := range map[string]storage.ListOptions{
		"newest": {}, "not older": {Match: storage.NotOlderThan, Revision: node.Revision}, "exact": {Match: storage.Exact, Revision: node.Revision},
	} {
		if page, err := c.List(t.Context(), "/pods/", opts); err != nil || page.Revision != node.Revision || len(page.Entries) != 1 {
			t.Errorf("list, %s: got %+v, %v", name, page, err)
		}
	}
	if err := c.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
}

// TestEachRevisionByLists: a store that does not list revisions has them read page by page.
func TestEachRevisionByLists(t *testing.T) {
	store := memory.New(memory.Config{})
	for i := range 1234 {
		if _, err := store.Create(t.Context(), fmt.Sprintf("/pods/ns/%04d", i), []byte("one")); err != nil {
			t.Fatal(err)
		}
	}
	now, err := store.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(t.Context(), "/pods/ns/later", []byte("one")); err != nil {
		t.Fatal(err)
	}
	read := func(s storage.RevisionLister) (all []string) {
		if err := s.EachRevision(t.Context(), "/pods/", now, func(key string, at int64) { all = append(all, fmt.Sprint(key, at)) }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := read(store)
	if diff := cmp.Diff(want, read(cacher.SourceOf(bare{store}))); diff != "" || len(want) != 1234 {
		t.Errorf("%d entries, - by the store, + by lists:\n%s", len(want), diff)
	}
}
