package storagetest

import (
	"context"
	"errors"

	"github.com/typeplane/typeplane/storage"
)

var countTests = []namedTest{
	{"nothing is none", func(e *env) { e.wantCount("/pods/", 0) }},
	{"entries below a prefix, and not its neighbours", func(e *env) {
		for _, k := range []string{"/pods/a/1", "/pods/a/2", "/pods/a", "/pods/b/1", "/pods/a2/1", "/pods2/a/1", "/secrets/a/1"} {
			e.create(k, "x")
		}
		e.update("/pods/a/1", "y") // which makes no other entry of it
		e.wantCount("/pods/", 5)
		e.wantCount("/pods/a/", 2)
		e.wantCount("/pods/c/", 0)
		e.wantCount("/secrets/", 1)
		e.wantCount("/", 7)
		e.delete("/pods/a/2")
		e.wantCount("/pods/a/", 1)
	}},
	{"one key is one or none", func(e *env) {
		e.create("/pods/a/1", "x")
		e.create("/pods/a/12", "x")
		e.create("/pods/a/1/2", "x")
		e.wantCount("/pods/a/1", 1)
		e.wantCount("/pods/a/2", 0)
	}},
	{"what can't be read counts", func(e *env) {
		e.s = e.Open(prefixForm)
		e.create("/pods/a/1", "x")
		e.Put("/pods/a/2", []byte("garbage"))
		e.wantCount("/pods/", 2)
	}},
	{"more than one page of a backend", func(e *env) {
		e.fill("/pods/ns/", 1100)
		e.wantCount("/pods/", 1100)
	}},
	{"a context that has ended", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		if _, err := e.s.Count(ctx, "/pods/"); !errors.Is(err, context.Canceled) {
			e.Fatalf("got %v, want context.Canceled", err)
		}
	}},
}

// wantCount counts a selection, after a list, which a cache has to have caught up for.
func (e *env) wantCount(selection string, want int64) {
	e.Helper()
	e.list("/pods/", storage.ListOptions{Limit: 1})
	if got, err := e.s.Count(e.ctx, selection); got != want || err != nil {
		e.Fatalf("%d entries in %s, %v; want %d", got, selection, err, want)
	}
}
