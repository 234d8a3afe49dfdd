package storagetest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
)

var errUnreadable = errors.New("begins with neither 0: nor 1:, as it should")

// prefixForm keeps values behind "1:" and reads also "0:", the form of former days.
var prefixForm = storage.Form{
	Canonical: func(key string, stored []byte) ([]byte, bool, error) {
		if rest, ok := bytes.CutPrefix(stored, []byte("1:")); ok {
			return rest, false, nil
		}
		if rest, ok := bytes.CutPrefix(stored, []byte("0:")); ok {
			return rest, true, nil
		}
		return nil, false, fmt.Errorf("%s: %w", key, errUnreadable)
	},
	Stored: func(key string, value []byte) ([]byte, error) {
		if bytes.HasPrefix(value, []byte("refuse")) {
			return nil, errUnreadable
		}
		return append([]byte("1:"), value...), nil
	},
}

var formTests = []namedTest{
	{"values are stored in the form and read back", func(e *env) {
		e.s = e.Open(prefixForm)
		w := e.watch("/pods/", e.revision())
		a := e.create("/pods/ns/a", "one")
		e.wantRaw("/pods/ns/a", "1:one", a.Revision)
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", a.Revision)
		b := e.update("/pods/ns/a", "two")
		e.wantRaw("/pods/ns/a", "1:two", b.Revision)
		gone := e.delete("/pods/ns/a")
		e.wantEvents(w, []storage.Event{
			{Type: storage.Created, Entry: a},
			{Type: storage.Modified, Entry: b, Prev: a},
			{Type: storage.Deleted, Entry: gone, Prev: b},
		})
	}},
	{"operations are written as they are", func(e *env) {
		e.s = e.Open(prefixForm)
		got, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("one"), storage.Op{Key: "/quota/ns", Value: []byte("raw")})
		if err != nil {
			e.Fatal(err)
		}
		e.wantRaw("/quota/ns", "raw", got.Revision)
	}},
	{"an old form is read, and said to be stale, everywhere", func(e *env) {
		e.s = e.Open(prefixForm)
		w := e.watch("/pods/", e.revision())
		rev := e.Put("/pods/ns/a", []byte("0:one"))
		want := storage.Entry{Key: "/pods/ns/a", Value: []byte("one"), Revision: rev, Stale: true}
		if diff := cmp.Diff(want, e.get("/pods/ns/a")); diff != "" {
			e.Fatalf("get (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff([]*storage.Entry{&want}, e.list("/pods/", storage.ListOptions{}).Entries); diff != "" {
			e.Fatalf("list (-want +got)\n%s", diff)
		}
		e.wantEvents(w, []storage.Event{{Type: storage.Created, Entry: want}})
		e.wantRaw("/pods/ns/a", "0:one", rev)
	}},
	{"an update mends a stale entry though nothing changes", func(e *env) {
		e.s = e.Open(prefixForm)
		rev := e.Put("/pods/ns/a", []byte("0:one"))
		var seen storage.Entry
		got, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]byte, []storage.Op, error) {
			seen = current
			return current.Value, nil, nil
		})
		if err != nil || !seen.Stale || seen.Revision != rev {
			e.Fatalf("try saw %+v, error %v", seen, err)
		}
		if got.Revision <= rev || got.Stale {
			e.Fatalf("got %+v", got)
		}
		e.wantRaw("/pods/ns/a", "1:one", got.Revision)
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", got.Revision)
		e.wantEntry(e.update("/pods/ns/a", "one"), "/pods/ns/a", "one", got.Revision)
	}},
	{"what can't be read is an error for its reader", func(e *env) {
		e.s = e.Open(prefixForm)
		good := e.create("/pods/ns/a", "one")
		rev := e.Put("/pods/ns/b", []byte("garbage"))
		_, err := e.s.Get(e.ctx, "/pods/ns/b", storage.GetOptions{})
		e.wantUnreadable(err, "/pods/ns/b")
		page := e.list("/pods/", storage.ListOptions{})
		if len(page.Entries) != 2 || !cmp.Equal(*page.Entries[0], good) {
			e.Fatalf("got %+v", page)
		}
		e.wantPoisoned(*page.Entries[1], "/pods/ns/b", rev)
		_, err = e.s.GuaranteedUpdate(e.ctx, "/pods/ns/b", func(storage.Entry) ([]byte, []storage.Op, error) {
			e.Error("try was called")
			return nil, nil, nil
		})
		e.wantUnreadable(err, "/pods/ns/b")
		e.wantRaw("/pods/ns/b", "garbage", rev)
	}},
	{"what can't be read can be deleted", func(e *env) {
		e.s = e.Open(prefixForm)
		rev := e.Put("/pods/ns/a", []byte("garbage"))
		mine := errors.New("mine")
		_, err := e.s.Delete(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]storage.Op, error) {
			e.wantPoisoned(current, "/pods/ns/a", rev)
			return nil, mine
		})
		if err != mine {
			e.Fatalf("got %v", err)
		}
		got := e.delete("/pods/ns/a")
		if got.Revision <= rev {
			e.Fatalf("deleted at %d", got.Revision)
		}
		e.wantPoisoned(got, "/pods/ns/a", got.Revision)
		e.missing("/pods/ns/a")
	}},
	{"what can't be read is on the stream, not missing from it", func(e *env) {
		e.s = e.Open(prefixForm)
		w := e.watch("/pods/", e.revision())
		r1 := e.Put("/pods/ns/a", []byte("garbage"))
		r2 := e.Put("/pods/ns/a", []byte("1:good"))
		r3 := e.Put("/pods/ns/a", []byte("garbage again"))
		gone := e.delete("/pods/ns/a")
		after := e.create("/pods/ns/a", "new")
		got := e.next(w, 5)
		e.wantPoisoned(got[0].Entry, "/pods/ns/a", r1)
		e.wantPoisoned(got[1].Prev, "/pods/ns/a", r1)
		e.wantEntry(got[1].Entry, "/pods/ns/a", "good", r2)
		e.wantEntry(got[2].Prev, "/pods/ns/a", "good", r2)
		e.wantPoisoned(got[2].Entry, "/pods/ns/a", r3)
		e.wantPoisoned(got[3].Entry, "/pods/ns/a", gone.Revision)
		e.wantPoisoned(got[3].Prev, "/pods/ns/a", r3)
		e.wantEntry(got[4].Entry, "/pods/ns/a", "new", after.Revision)
		types := []storage.EventType{storage.Created, storage.Modified, storage.Modified, storage.Deleted, storage.Created}
		for i, want := range types {
			if got[i].Type != want {
				e.Fatalf("event %d has type %d, want %d", i, got[i].Type, want)
			}
		}
	}},
	{"a value that can't be stored is not written", func(e *env) {
		e.s = e.Open(prefixForm)
		_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("refuse"))
		if !errors.Is(err, errUnreadable) {
			e.Fatalf("create: got %v", err)
		}
		e.missing("/pods/ns/a")
		first := e.create("/pods/ns/a", "one")
		if _, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", set("refuse")); !errors.Is(err, errUnreadable) {
			e.Fatalf("update: got %v", err)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", first.Revision)
	}},
	{"a value for which the form panics is unreadable, in a long list too", func(e *env) {
		form := prefixForm
		form.Canonical = func(key string, stored []byte) ([]byte, bool, error) {
			if string(stored) == "hostile" {
				panic("the value is hostile")
			}
			return prefixForm.Canonical(key, stored)
		}
		e.s = e.Open(form)
		w := e.watch("/pods/", e.revision())
		const hostile, n = "/pods/ns/0300", 600
		revision := e.Put(hostile, []byte("hostile"))
		events := e.next(w, 1)
		if events[0].Entry.Revision != revision {
			e.Fatalf("%+v", events)
		}
		e.wantCode(events[0].Entry.Err, storage.CodeCorrupt, hostile)
		for i := range n {
			if i != 300 {
				e.Put(fmt.Sprintf("/pods/ns/%04d", i), []byte("1:one"))
			}
		}
		entries := e.list("/pods/", storage.ListOptions{}).Entries
		if len(entries) != n {
			e.Fatalf("%d entries", len(entries))
		}
		for i, entry := range entries {
			if i != 300 && string(entry.Value) != "one" {
				e.Fatalf("%+v", entry)
			}
		}
		e.wantCode(entries[300].Err, storage.CodeCorrupt, hostile)
		_, err := e.s.Get(e.ctx, hostile, storage.GetOptions{})
		e.wantCode(err, storage.CodeCorrupt, hostile)
		_, err = e.s.GuaranteedUpdate(e.ctx, hostile, set("two"))
		e.wantCode(err, storage.CodeCorrupt, hostile)
	}},
	{"stores of different forms share data and revisions", func(e *env) {
		raw, formed := e.s, e.Open(prefixForm)
		e.s = formed
		a := e.create("/pods/ns/a", "one")
		e.s = raw
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "1:one", a.Revision)
		b := e.create("/pods/ns/b", "1:two")
		e.s = formed
		e.wantEntry(e.get("/pods/ns/b"), "/pods/ns/b", "two", b.Revision)
		if b.Revision <= a.Revision {
			e.Fatalf("revision %d after %d", b.Revision, a.Revision)
		}
	}},
}

func (e *env) wantUnreadable(err error, key string) {
	e.Helper()
	e.wantCode(err, storage.CodeCorrupt, key)
	if !errors.Is(err, errUnreadable) {
		e.Fatalf("%v does not wrap the error of the form", err)
	}
}

func (e *env) wantPoisoned(got storage.Entry, key string, revision int64) {
	e.Helper()
	if got.Key != key || got.Revision != revision || got.Value != nil {
		e.Fatalf("got %+v, want a poisoned entry of %s at %d", got, key, revision)
	}
	e.wantUnreadable(got.Err, key)
}
