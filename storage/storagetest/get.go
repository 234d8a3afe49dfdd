package storagetest

import (
	"context"
	"errors"

	"github.com/typeplane/typeplane/storage"
)

var getTests = []namedTest{
	{"a missing key is not found", func(e *env) {
		_, err := e.s.Get(e.ctx, "/pods/ns/a", storage.GetOptions{})
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
	}},
	{"a longer key is another key", func(e *env) {
		e.create("/pods/ns/foo2", "x")
		e.create("/pods/ns/foo/bar", "x")
		_, err := e.s.Get(e.ctx, "/pods/ns/foo", storage.GetOptions{})
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/foo")
	}},
	{"sees every write that ended before", func(e *env) {
		e.create("/pods/ns/a", "0")
		for _, v := range []string{"1", "2", "3"} {
			revision := e.Put("/pods/ns/a", []byte(v))
			e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", v, revision)
		}
		e.delete("/pods/ns/a")
		_, err := e.s.Get(e.ctx, "/pods/ns/a", storage.GetOptions{})
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
	}},
	{"not older than", func(e *env) {
		made := e.create("/pods/ns/a", "one")
		later := e.create("/pods/ns/b", "two")
		for _, floor := range []int64{1, made.Revision, later.Revision} {
			for _, unordered := range []bool{false, true} {
				got, err := e.s.Get(e.ctx, "/pods/ns/a", storage.GetOptions{NotOlderThan: floor, Any: unordered})
				if err != nil {
					e.Fatalf("not older than %d: %v", floor, err)
				}
				e.wantEntry(got, "/pods/ns/a", "one", made.Revision)
			}
		}
	}},
	{"a future revision is said to be so", func(e *env) {
		e.create("/pods/ns/a", "one")
		current := e.revision()
		for _, key := range []string{"/pods/ns/a", "/pods/ns/missing"} {
			_, err := e.s.Get(e.ctx, key, storage.GetOptions{NotOlderThan: current + 1000})
			e.wantFuture(err, key, current+1000, current)
		}
	}},
	{"any state is good enough if asked for", func(e *env) {
		e.create("/pods/ns/a", "one")
		got, err := e.s.Get(e.ctx, "/pods/ns/a", storage.GetOptions{Any: true, NotOlderThan: e.revision()})
		if err != nil || string(got.Value) != "one" {
			e.Fatalf("got %+v, %v", got, err)
		}
	}},
	{"a context that has ended", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		_, err := e.s.Get(ctx, "/pods/ns/a", storage.GetOptions{})
		if !errors.Is(err, context.Canceled) {
			e.Fatalf("got %v, want context.Canceled", err)
		}
		if _, err := e.s.Revision(ctx); !errors.Is(err, context.Canceled) {
			e.Fatalf("revision: got %v, want context.Canceled", err)
		}
	}},
	{"the revision does not move by reading", func(e *env) {
		e.create("/pods/ns/a", "one")
		before := e.revision()
		e.get("/pods/ns/a")
		e.list("/pods/", storage.ListOptions{})
		if after := e.revision(); after != before {
			e.Fatalf("revision went from %d to %d", before, after)
		}
	}},
}

// wantFuture checks that err says which revision was asked for and where the store is.
func (e *env) wantFuture(err error, key string, asked, atLeast int64) {
	e.Helper()
	e.wantCode(err, storage.CodeFuture, key)
	var se *storage.Error
	errors.As(err, &se)
	if se.Revision != asked || se.Current < atLeast {
		e.Fatalf("error speaks of revision %d, current %d; want %d and at least %d", se.Revision, se.Current, asked, atLeast)
	}
}
