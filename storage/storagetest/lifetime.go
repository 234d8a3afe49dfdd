package storagetest

import (
	"fmt"
	"time"

	"github.com/typeplane/typeplane/storage"
)

var lifetimeTests = []namedTest{
	{"an entry ends when its lifetime is over, and that is a deletion like any other", func(e *env) {
		e.outlive(func(key func(string) string, lifetime time.Duration, late func() bool) {
			w := e.watch(key(""), e.revision())
			begin := time.Now()
			short, err := e.s.Create(e.ctx, key("short"), []byte("x"), storage.Lifetime(lifetime))
			if err != nil {
				e.Fatal(err)
			}
			long := e.create(key("long"), "x")
			if late() {
				return
			}
			got := e.next(w, 3)
			if took := time.Since(begin); took < lifetime {
				e.Fatalf("it ended after %v", took)
			}
			gone := got[2]
			if gone.Type != storage.Deleted || gone.Entry.Key != short.Key || gone.Entry.Revision <= long.Revision {
				e.Fatalf("got %+v", gone)
			}
			e.wantEntry(gone.Prev, short.Key, "x", short.Revision)
			e.missing(short.Key)
			e.wantEntry(e.get(long.Key), long.Key, "x", long.Revision)
		})
	}},
	{"an update leaves an entry its lifetime, or gives it another", func(e *env) {
		e.outlive(func(key func(string) string, lifetime time.Duration, late func() bool) {
			w := e.watch(key(""), e.revision())
			var longer storage.Entry
			for _, name := range []string{"kept", "longer"} {
				var err error
				if longer, err = e.s.Create(e.ctx, key(name), []byte("one"), storage.Lifetime(lifetime)); err != nil {
					e.Fatal(err)
				}
			}
			made := longer.Revision
			_, err := e.s.GuaranteedUpdate(e.ctx, key("kept"), set("two"))
			if err == nil {
				// The value is the same, but the lifetime is news.
				longer, err = e.s.GuaranteedUpdate(e.ctx, longer.Key, func(current storage.Entry) ([]byte, []storage.Op, error) {
					return current.Value, []storage.Op{storage.Lifetime(time.Hour)}, nil
				})
			}
			if late() {
				return
			}
			if err != nil || longer.Revision <= made {
				e.Fatalf("got %+v, %v", longer, err)
			}
			got := e.next(w, 5)
			if gone := got[4]; gone.Type != storage.Deleted || gone.Entry.Key != key("kept") {
				e.Fatalf("got %+v", gone)
			}
			e.quiet(w)
			e.wantEntry(e.get(longer.Key), longer.Key, "one", longer.Revision)
		})
	}},
	{"a lifetime goes with other operations", func(e *env) {
		op := storage.Op{Key: "/quota/ns", Value: []byte("1")}
		if _, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("x"), storage.Lifetime(time.Hour), op); err != nil {
			e.Fatal(err)
		}
		_, err := e.s.Create(e.ctx, "/pods/ns/b", []byte("x"), storage.Lifetime(time.Hour), op)
		e.wantCode(err, storage.CodeConflict, "/quota/ns")
		e.missing("/pods/ns/b")
	}},
	{"a lifetime that can't be is refused", func(e *env) {
		for _, with := range [][]storage.Op{{storage.Lifetime(-time.Second)}, {storage.Lifetime(time.Hour), storage.Lifetime(time.Hour)}} {
			_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("x"), with...)
			e.wantCode(err, storage.CodeInvalidKey, "/pods/ns/a")
		}
		e.missing("/pods/ns/a")
	}},
}

// outlive tries something with entries that have a lifetime, and must be done with it before that
// is over. Where it is late, as on a machine that stands still for a second, it is tried again with
// a longer one. Each try has a namespace of its own; key("") is its prefix.
func (e *env) outlive(try func(key func(name string) string, lifetime time.Duration, late func() bool)) {
	e.Helper()
	tooLate := true
	for lifetime := time.Second; tooLate; lifetime *= 2 {
		begin := time.Now()
		key := func(name string) string { return fmt.Sprintf("/pods/%v/%s", lifetime, name) }
		try(key, lifetime, func() bool {
			tooLate = time.Since(begin) >= lifetime
			return tooLate
		})
	}
}
