package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/typeplane/typeplane/storage"
)

var createTests = []namedTest{
	{"returns what it wrote", func(e *env) {
		before := e.revision()
		value := []byte("one")
		got, err := e.s.Create(e.ctx, "/pods/ns/a", value)
		if err != nil {
			e.Fatal(err)
		}
		if got.Revision <= before {
			e.Fatalf("revision %d, want more than %d", got.Revision, before)
		}
		e.wantEntry(got, "/pods/ns/a", "one", got.Revision)
		if !same(got.Value, value) {
			e.Fatal("the entry holds a copy of the value, want the value itself")
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", got.Revision)
		if r := e.revision(); r < got.Revision {
			e.Fatalf("store is at revision %d after a write at %d", r, got.Revision)
		}
		if raw, rev := e.Get("/pods/ns/a"); string(raw) != "one" || rev != got.Revision {
			e.Fatalf("database has %q at %d, want %q at %d", raw, rev, "one", got.Revision)
		}
	}},
	{"revisions grow", func(e *env) {
		last := int64(0)
		for i := range 5 {
			got := e.create(fmt.Sprintf("/pods/ns/%d", i), "x")
			if got.Revision <= last {
				e.Fatalf("revision %d after %d", got.Revision, last)
			}
			last = got.Revision
		}
	}},
	{"an existing key is refused", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("two"))
		e.wantCode(err, storage.CodeExists, "/pods/ns/a")
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", first.Revision)
	}},
	{"an existing key that can't be read is refused", func(e *env) {
		e.Put("/pods/ns/a", []byte("bad"))
		s := e.Open(storage.Form{Canonical: prefixForm.Canonical})
		_, err := s.Create(e.ctx, "/pods/ns/a", []byte("two"))
		e.wantCode(err, storage.CodeExists, "/pods/ns/a")
	}},
	{"a deleted key can be created again", func(e *env) {
		e.create("/pods/ns/a", "one")
		gone := e.delete("/pods/ns/a")
		again := e.create("/pods/ns/a", "two")
		if again.Revision <= gone.Revision {
			e.Fatalf("created at %d after a deletion at %d", again.Revision, gone.Revision)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "two", again.Revision)
	}},
	{"only one of many wins", func(e *env) {
		var wins, exists atomic.Int32
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				_, err := e.s.Create(e.ctx, "/pods/ns/a", fmt.Appendf(nil, "%d", i))
				switch {
				case err == nil:
					wins.Add(1)
				case storage.CodeOf(err) == storage.CodeExists:
					exists.Add(1)
				default:
					e.Errorf("create: %v", err)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 || exists.Load() != 15 {
			e.Fatalf("%d creates won and %d found it there, want 1 and 15", wins.Load(), exists.Load())
		}
	}},
	{"an empty value is a value", func(e *env) {
		e.create("/pods/ns/a", "")
		if got := e.get("/pods/ns/a"); len(got.Value) != 0 || got.Revision == 0 {
			e.Fatalf("got %+v", got)
		}
	}},
	{"a value that is too large is refused and nothing is written", func(e *env) {
		_, err := e.s.Create(e.ctx, "/pods/ns/a", make([]byte, 5<<20))
		e.wantCode(err, storage.CodeTooLarge, "/pods/ns/a")
		e.missing("/pods/ns/a")
	}},
	{"a context that has ended writes nothing", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		_, err := e.s.Create(ctx, "/pods/ns/a", []byte("one"))
		if !errors.Is(err, context.Canceled) {
			e.Fatalf("got %v, want context.Canceled", err)
		}
		e.missing("/pods/ns/a")
	}},
}
