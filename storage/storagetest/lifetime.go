package storagetest

import (
	"time"

	"github.com/typeplane/typeplane/storage"
)

var lifetimeTests = []namedTest{
	{"an entry ends when its lifetime is over, and that is a deletion like any other", func(e *env) {
		w := e.watch("/pods/", e.revision())
		begin := time.Now()
		short, err := e.s.Create(e.ctx, "/pods/ns/short", []byte("x"), storage.Lifetime(time.Second))
		if err != nil {
			e.Fatal(err)
		}
		long := e.create("/pods/ns/long", "x")
		got := e.next(w, 3)
		if took := time.Since(begin); took < time.Second {
			e.Fatalf("it ended after %v", took)
		}
		gone := got[2]
		if gone.Type != storage.Deleted || gone.Entry.Key != short.Key || gone.Entry.Revision <= long.Revision {
			e.Fatalf("got %+v", gone)
		}
		e.wantEntry(gone.Prev, short.Key, "x", short.Revision)
		e.missing(short.Key)
		e.wantEntry(e.get(long.Key), long.Key, "x", long.Revision)
	}},
	{"an update leaves an entry its lifetime, or gives it another", func(e *env) {
		w := e.watch("/pods/", e.revision())
		for _, key := range []string{"/pods/ns/kept", "/pods/ns/longer"} {
			if _, err := e.s.Create(e.ctx, key, []byte("one"), storage.Lifetime(time.Second)); err != nil {
				e.Fatal(err)
			}
		}
		e.update("/pods/ns/kept", "two")
		// The value is the same, but the lifetime is news.
		same := e.get("/pods/ns/longer")
		longer, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/longer", func(current storage.Entry) ([]byte, []storage.Op, error) {
			return current.Value, []storage.Op{storage.Lifetime(time.Hour)}, nil
		})
		if err != nil || longer.Revision <= same.Revision {
			e.Fatalf("got %+v, %v", longer, err)
		}
		got := e.next(w, 5)
		if gone := got[4]; gone.Type != storage.Deleted || gone.Entry.Key != "/pods/ns/kept" {
			e.Fatalf("got %+v", gone)
		}
		e.quiet(w)
		e.wantEntry(e.get(longer.Key), longer.Key, "one", longer.Revision)
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
