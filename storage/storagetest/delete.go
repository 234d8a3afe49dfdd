package storagetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/typeplane/typeplane/storage"
)

var deleteTests = []namedTest{
	{"a missing key is not found", func(e *env) {
		_, err := e.s.Delete(e.ctx, "/pods/ns/a", func(storage.Entry) ([]storage.Op, error) {
			e.Error("check was called")
			return nil, nil
		})
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
	}},
	{"returns the last value with the revision of the deletion", func(e *env) {
		e.create("/pods/ns/a", "one")
		e.create("/pods/ns/a/below", "stays")
		e.create("/pods/ns/a2", "stays")
		last := e.update("/pods/ns/a", "two")
		got := e.delete("/pods/ns/a")
		e.wantEntry(got, "/pods/ns/a", "two", e.revision())
		if got.Revision <= last.Revision {
			e.Fatalf("deleted at %d, written at %d", got.Revision, last.Revision)
		}
		e.missing("/pods/ns/a")
		e.get("/pods/ns/a/below")
		e.get("/pods/ns/a2")
		_, err := e.s.Delete(e.ctx, "/pods/ns/a", nil)
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
	}},
	{"the check sees the entry and may refuse", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		mine := errors.New("mine")
		_, err := e.s.Delete(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]storage.Op, error) {
			e.wantEntry(current, "/pods/ns/a", "one", first.Revision)
			return nil, mine
		})
		if err != mine {
			e.Fatalf("got %v, want the very error of the check", err)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", first.Revision)
	}},
	{"the check runs again when the entry changed", func(e *env) {
		e.create("/pods/ns/a", "one")
		mine := errors.New("has a finalizer now")
		var seen []string
		_, err := e.s.Delete(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]storage.Op, error) {
			seen = append(seen, string(current.Value))
			if len(seen) == 1 {
				e.Put("/pods/ns/a", []byte("two"))
				return nil, nil
			}
			return nil, mine
		})
		if err != mine || fmt.Sprint(seen) != "[one two]" {
			e.Fatalf("got %v after checks of %v", err, seen)
		}
		e.get("/pods/ns/a")
		seen = nil
		got, err := e.s.Delete(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]storage.Op, error) {
			seen = append(seen, string(current.Value))
			if len(seen) == 1 {
				e.Put("/pods/ns/a", []byte("three"))
			}
			return nil, nil
		})
		if err != nil || string(got.Value) != "three" || fmt.Sprint(seen) != "[two three]" {
			e.Fatalf("got %q, %v after checks of %v", got.Value, err, seen)
		}
	}},
	{"an entry that goes meanwhile is not found", func(e *env) {
		e.create("/pods/ns/a", "one")
		calls := 0
		_, err := e.s.Delete(e.ctx, "/pods/ns/a", func(storage.Entry) ([]storage.Op, error) {
			calls++
			e.delete("/pods/ns/a")
			return nil, nil
		})
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
		if calls != 1 {
			e.Fatalf("%d checks", calls)
		}
	}},
	{"only one of many wins", func(e *env) {
		e.create("/pods/ns/a", "one")
		var wins, missed atomic.Int32
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				_, err := e.s.Delete(e.ctx, "/pods/ns/a", nil)
				switch {
				case err == nil:
					wins.Add(1)
				case storage.CodeOf(err) == storage.CodeNotFound:
					missed.Add(1)
				default:
					e.Errorf("delete: %v", err)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 || missed.Load() != 15 {
			e.Fatalf("%d deletes won and %d found nothing, want 1 and 15", wins.Load(), missed.Load())
		}
	}},
}
