package storagetest

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
)

// singleTests are about lists and watches of one key. What they answer at which revision is in
// match.go.
var singleTests = []namedTest{
	{"a list has the entry and no neighbour", func(e *env) {
		e.neighbours("/pods/ns/a")
		a := e.create("/pods/ns/a", "x")
		last := e.create("/secrets/ns/a", "x")
		for _, limit := range []int64{0, 1, 5} {
			got := e.list("/pods/ns/a", storage.ListOptions{Limit: limit})
			want := storage.Page{Entries: []*storage.Entry{&a}, Revision: last.Revision}
			if diff := cmp.Diff(want, got); diff != "" {
				e.Fatalf("limit %d (-want +got)\n%s", limit, diff)
			}
		}
	}},
	{"no entry is an empty page with a revision", func(e *env) {
		e.neighbours("/pods/ns/a")
		got := e.list("/pods/ns/a", storage.ListOptions{})
		if got.Entries == nil || len(got.Entries) != 0 || got.Remaining != 0 || got.Revision != e.revision() {
			e.Fatalf("got %+v", got)
		}
	}},
	{"a list has what can't be read", func(e *env) {
		e.s = e.Open(prefixForm)
		revision := e.Put("/pods/ns/a", []byte("garbage"))
		got := e.list("/pods/ns/a", storage.ListOptions{})
		if len(got.Entries) != 1 {
			e.Fatalf("got %+v", got)
		}
		e.wantPoisoned(*got.Entries[0], "/pods/ns/a", revision)
	}},
	{"a watch sees every change, and none of a neighbour", func(e *env) {
		w := e.watch("/pods/ns/a", e.revision())
		e.neighbours("/pods/ns/a")
		a1 := e.create("/pods/ns/a", "1")
		e.update("/pods/ns/ab", "y")
		a2 := e.update("/pods/ns/a", "2")
		e.delete("/pods/ns/a/below")
		gone := e.delete("/pods/ns/a")
		e.delete("/pods/ns/ab")
		a3 := e.create("/pods/ns/a", "3")
		e.wantEvents(w, []storage.Event{
			{Type: storage.Created, Entry: a1},
			{Type: storage.Modified, Entry: a2, Prev: a1},
			{Type: storage.Deleted, Entry: gone, Prev: a2},
			{Type: storage.Created, Entry: a3},
		})
	}},
	{"a watch begins in the past", func(e *env) {
		start := e.revision()
		a1 := e.create("/pods/ns/a", "1")
		e.create("/pods/ns/b", "1")
		a2 := e.update("/pods/ns/a", "2")
		e.wantEvents(e.watch("/pods/ns/a", start), []storage.Event{{Type: storage.Created, Entry: a1}, {Type: storage.Modified, Entry: a2, Prev: a1}})
		e.wantEvents(e.watch("/pods/ns/a", a1.Revision), []storage.Event{{Type: storage.Modified, Entry: a2, Prev: a1}})
		e.wantEvents(e.watch("/pods/ns/a", a2.Revision), nil)
	}},
	{"a watch without Prev sees the same", func(e *env) {
		w, err := e.s.Watch(e.ctx, "/pods/ns/a", storage.WatchOptions{After: e.revision()})
		if err != nil {
			e.Fatal(err)
		}
		defer w.Close()
		want := []int64{e.create("/pods/ns/a", "1").Revision, e.update("/pods/ns/a", "2").Revision, e.delete("/pods/ns/a").Revision}
		for i, ev := range e.next(w, 3) {
			if ev.Entry.Key != "/pods/ns/a" || ev.Entry.Revision != want[i] || ev.Type != storage.EventType(i+1) {
				e.Fatalf("event %d is %+v, want one at %d", i, ev, want[i])
			}
		}
	}},
	{"a watch has what can't be read", func(e *env) {
		e.s = e.Open(prefixForm)
		w := e.watch("/pods/ns/a", e.revision())
		revision := e.Put("/pods/ns/a", []byte("garbage"))
		e.wantPoisoned(e.next(w, 1)[0].Entry, "/pods/ns/a", revision)
	}},
	{"a quiet watch gets bookmarks", func(e *env) {
		w := e.open("/pods/ns/a", storage.WatchOptions{After: e.revision(), Progress: true})
		other := e.create("/pods/ns/b", "1")
		deadline := time.Now().Add(2*e.ProgressWithin + hangs)
		for last := int64(0); last < other.Revision; {
			if time.Now().After(deadline) {
				e.Fatalf("no bookmark reached %d; the last one was at %d", other.Revision, last)
			}
			ev := e.next(w, 1)[0]
			if ev.Type != storage.Bookmark {
				e.Fatalf("got %+v", ev)
			}
			last = ev.Entry.Revision
		}
	}},
	{"a compacted revision is said to be so", func(e *env) {
		old := e.create("/pods/ns/a", "1")
		e.update("/pods/ns/a", "2")
		now := e.update("/pods/ns/a", "3")
		e.Compact(now.Revision)
		w, err := e.s.Watch(e.ctx, "/pods/ns/a", storage.WatchOptions{After: old.Revision - 1})
		if err == nil {
			defer w.Close()
			if _, err = w.Next(e.ctx); err == nil && e.Remembers {
				return
			}
		}
		e.wantCode(err, storage.CodeCompacted, "/pods/ns/a")
	}},
}

// neighbours creates entries at keys that look like one that is of interest.
func (e *env) neighbours(key string) {
	e.Helper()
	for _, suffix := range []string{"b", "/below", ".x", "0"} {
		e.create(key+suffix, "neighbour")
	}
}
