package cacher_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// Who lists everything of one revision shares one list. A write makes another one, and leaves what
// somebody has as it is.
func TestListsOfEverythingAreShared(t *testing.T) {
	const n = 2000
	db := memory.NewDatabase()
	for i := range n {
		db.Put(fmt.Sprintf("/registry/pods/ns%d/%04d", i%2, i), []byte("a"))
	}
	c := start(t, cacher.Config{Source: memory.New(memory.Config{Database: db, Root: "/registry", ProgressInterval: quick})})
	list := func(prefix string, opts storage.ListOptions) storage.Page {
		t.Helper()
		page, err := c.List(t.Context(), prefix, opts)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	same := func(a, b storage.Page) bool { return &a.Entries[0] == &b.Entries[0] }
	var pages [8]storage.Page
	var all sync.WaitGroup
	for i := range pages {
		all.Go(func() { pages[i], _ = c.List(t.Context(), "/pods/", storage.ListOptions{}) })
	}
	all.Wait()
	first := pages[0]
	for _, page := range pages {
		if len(page.Entries) != n || page.Revision != first.Revision || page.Remaining != 0 || !same(page, first) {
			t.Fatalf("%d entries at revision %d, %d at %d", len(page.Entries), page.Revision, len(first.Entries), first.Revision)
		}
	}
	if page := list("/pods/ns1/", storage.ListOptions{}); len(page.Entries) != n/2 {
		t.Errorf("%d entries of a namespace, want %d", len(page.Entries), n/2)
	}
	if page := list("/pods/", storage.ListOptions{Limit: 10}); len(page.Entries) != 10 || page.Remaining != n-10 {
		t.Errorf("%d entries of a page, and %d more", len(page.Entries), page.Remaining)
	}

	db.Put("/registry/pods/ns0/0000", []byte("b"))
	next := list("/pods/", storage.ListOptions{})
	if same(next, first) || string(next.Entries[0].Value) != "b" || string(first.Entries[0].Value) != "a" {
		t.Errorf("%q after the write, %q before", next.Entries[0].Value, first.Entries[0].Value)
	}
	if old := list("/pods/", storage.ListOptions{Match: storage.Exact, Revision: first.Revision}); string(old.Entries[0].Value) != "a" || old.Revision != first.Revision {
		t.Errorf("%q at revision %d", old.Entries[0].Value, old.Revision)
	}
	runtime.KeepAlive(pages)

	// Nobody has one any more.
	first, next, pages = storage.Page{}, storage.Page{}, [8]storage.Page{}
	runtime.GC()
	if page := list("/pods/", storage.ListOptions{}); len(page.Entries) != n || string(page.Entries[0].Value) != "b" {
		t.Errorf("%d entries, %q", len(page.Entries), page.Entries[0].Value)
	}
}
