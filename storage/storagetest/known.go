package storagetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/typeplane/typeplane/storage"
)

func (e *env) knower() storage.KnownWriter {
	e.Helper()
	k, ok := e.s.(storage.KnownWriter)
	if !ok {
		e.Skip("the store can't begin with what its caller knows")
	}
	return k
}

var errMine = errors.New("mine")

// attempts are the values that an update or a deletion was tried on. It refuses, changes nothing or
// goes on, as each says.
type attempts struct {
	seen []string
	each map[string]any // by value: an error, "same", or nil to go on
}

func (a *attempts) update(current storage.Entry) ([]byte, []storage.Op, error) {
	a.seen = append(a.seen, string(current.Value))
	switch do := a.each[string(current.Value)].(type) {
	case error:
		return nil, nil, do
	case string:
		return current.Value, nil, nil
	}
	return []byte("after " + string(current.Value)), nil, nil
}

func (a *attempts) delete(current storage.Entry) ([]storage.Op, error) {
	a.seen = append(a.seen, string(current.Value))
	err, _ := a.each[string(current.Value)].(error)
	return nil, err
}

// outdated makes an entry that another writer has overtaken.
func (e *env) outdated(key string) (old, now storage.Entry) {
	e.Helper()
	old = e.create(key, "one")
	return old, e.update(key, "two")
}

var knownTests = []namedTest{
	{"an update works on what is known", func(e *env) {
		k, known := e.knower(), e.create("/pods/ns/a", "one")
		a := attempts{}
		got, err := k.UpdateKnown(e.ctx, known, a.update)
		if err != nil || fmt.Sprint(a.seen) != "[one]" || got.Revision <= known.Revision {
			e.Fatalf("got %+v, %v after tries on %q", got, err, a.seen)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "after one", got.Revision)
	}},
	{"an update of what was overtaken is worked out again", func(e *env) {
		k := e.knower()
		old, _ := e.outdated("/pods/ns/a")
		a := attempts{}
		got, err := k.UpdateKnown(e.ctx, old, a.update)
		if err != nil || fmt.Sprint(a.seen) != "[one two]" {
			e.Fatalf("got %+v, %v after tries on %q", got, err, a.seen)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "after two", got.Revision)
	}},
	{"an error because of what was overtaken is told to nobody", func(e *env) {
		k := e.knower()
		old, _ := e.outdated("/pods/ns/a")
		a := attempts{each: map[string]any{"one": errMine}}
		got, err := k.UpdateKnown(e.ctx, old, a.update)
		if err != nil || fmt.Sprint(a.seen) != "[one two]" {
			e.Fatalf("update: got %+v, %v after tries on %q", got, err, a.seen)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "after two", got.Revision)

		old, _ = e.outdated("/pods/ns/b")
		a = attempts{each: map[string]any{"one": errMine}}
		got, err = k.DeleteKnown(e.ctx, old, a.delete)
		if err != nil || fmt.Sprint(a.seen) != "[one two]" || string(got.Value) != "two" {
			e.Fatalf("delete: got %+v, %v after checks of %q", got, err, a.seen)
		}
		e.missing("/pods/ns/b")
	}},
	{"an error because of what is current is told, and nothing asked twice", func(e *env) {
		k, known := e.knower(), e.create("/pods/ns/a", "one")
		a := attempts{each: map[string]any{"one": errMine}}
		if _, err := k.UpdateKnown(e.ctx, known, a.update); err != errMine || len(a.seen) != 1 {
			e.Fatalf("update: got %v after tries on %q", err, a.seen)
		}
		a.seen = nil
		if _, err := k.DeleteKnown(e.ctx, known, a.delete); err != errMine || len(a.seen) != 1 {
			e.Fatalf("delete: got %v after checks of %q", err, a.seen)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", known.Revision)
	}},
	{"no change is one of the current entry", func(e *env) {
		k := e.knower()
		old, now := e.outdated("/pods/ns/a")
		for _, tc := range []struct {
			known storage.Entry
			tries string
		}{{old, "[one two]"}, {now, "[two]"}} {
			a := attempts{each: map[string]any{"one": "same", "two": "same"}}
			got, err := k.UpdateKnown(e.ctx, tc.known, a.update)
			if err != nil || fmt.Sprint(a.seen) != tc.tries {
				e.Fatalf("got %v after tries on %q, want %s", err, a.seen, tc.tries)
			}
			e.wantEntry(got, "/pods/ns/a", "two", now.Revision)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "two", now.Revision)
	}},
	{"what has gone is not found, whatever is known", func(e *env) {
		k := e.knower()
		for name, each := range map[string]map[string]any{"written": nil, "refused": {"one": errMine}, "unchanged": {"one": "same"}} {
			known := e.create("/pods/ns/a", "one")
			e.delete("/pods/ns/a")
			a := attempts{each: each}
			_, err := k.UpdateKnown(e.ctx, known, a.update)
			e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
			if a.seen = nil; name != "unchanged" {
				_, err = k.DeleteKnown(e.ctx, known, a.delete)
				e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
			}
			e.missing("/pods/ns/a")
		}
	}},
	{"another entry in its place is seen", func(e *env) {
		k, known := e.knower(), e.create("/pods/ns/a", "one")
		e.delete("/pods/ns/a")
		now := e.create("/pods/ns/a", "other")
		a := attempts{each: map[string]any{"other": errMine}}
		if _, err := k.UpdateKnown(e.ctx, known, a.update); err != errMine || fmt.Sprint(a.seen) != "[one other]" {
			e.Fatalf("update: got %v after tries on %q", err, a.seen)
		}
		a.seen = nil
		if _, err := k.DeleteKnown(e.ctx, known, a.delete); err != errMine || fmt.Sprint(a.seen) != "[one other]" {
			e.Fatalf("delete: got %v after checks of %q", err, a.seen)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "other", now.Revision)
	}},
	{"a deletion removes what is known, or looks again", func(e *env) {
		k, known := e.knower(), e.create("/pods/ns/a", "one")
		got, err := k.DeleteKnown(e.ctx, known, nil)
		if err != nil || string(got.Value) != "one" || got.Revision <= known.Revision {
			e.Fatalf("got %+v, %v", got, err)
		}
		e.missing("/pods/ns/a")
		old, _ := e.outdated("/pods/ns/a")
		a := attempts{}
		got, err = k.DeleteKnown(e.ctx, old, a.delete)
		if err != nil || string(got.Value) != "two" || fmt.Sprint(a.seen) != "[one two]" {
			e.Fatalf("got %+v, %v after checks of %q", got, err, a.seen)
		}
		e.missing("/pods/ns/a")
	}},
	{"what can't be read any more is an error, and what is stale now is mended", func(e *env) {
		e.s = e.Open(prefixForm)
		k, known := e.knower(), e.create("/pods/ns/a", "one")
		a := attempts{each: map[string]any{"one": "same"}}
		broken := e.Put("/pods/ns/a", []byte("garbage"))
		_, err := k.UpdateKnown(e.ctx, known, a.update)
		e.wantUnreadable(err, "/pods/ns/a")
		e.wantRaw("/pods/ns/a", "garbage", broken)

		known.Revision = e.Put("/pods/ns/a", []byte("0:one")) // known when it was not yet of an old form
		got, err := k.UpdateKnown(e.ctx, known, a.update)
		if err != nil || got.Revision <= known.Revision || got.Stale {
			e.Fatalf("got %+v, %v", got, err)
		}
		e.wantRaw("/pods/ns/a", "1:one", got.Revision)
	}},
	{"an update of what is known leaves it its lifetime", func(e *env) {
		k, w := e.knower(), e.watch("/pods/", e.revision())
		if _, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("one"), storage.Lifetime(time.Second)); err != nil {
			e.Fatal(err)
		}
		made := e.next(w, 1)[0].Entry // as a cache learns of it
		changed, err := k.UpdateKnown(e.ctx, made, set("two"))
		if err != nil {
			e.Fatal(err)
		}
		if _, err := k.UpdateKnown(e.ctx, changed, set("three")); err != nil {
			e.Fatal(err)
		}
		if got := e.next(w, 3)[2]; got.Type != storage.Deleted {
			e.Fatalf("got %+v", got)
		}
	}},
	{"a malformed key is refused, whatever is known", func(e *env) {
		k := e.knower()
		_, err := k.UpdateKnown(e.ctx, storage.Entry{Key: "pods"}, set("one"))
		e.wantCode(err, storage.CodeInvalidKey, "pods")
		_, err = k.DeleteKnown(e.ctx, storage.Entry{Key: "pods"}, nil)
		e.wantCode(err, storage.CodeInvalidKey, "pods")
	}},
}
