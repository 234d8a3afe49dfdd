package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/typeplane/typeplane/storage"
)

var updateTests = []namedTest{
	{"a missing key is not found", func(e *env) {
		_, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(storage.Entry) ([]byte, []storage.Op, error) {
			e.Error("try was called")
			return []byte("x"), nil, nil
		})
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
		e.missing("/pods/ns/a")
	}},
	{"replaces the value", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		value := []byte("two")
		got, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]byte, []storage.Op, error) {
			e.wantEntry(current, "/pods/ns/a", "one", first.Revision)
			return value, nil, nil
		})
		if err != nil {
			e.Fatal(err)
		}
		if got.Revision <= first.Revision || !same(got.Value, value) {
			e.Fatalf("got %+v, want the given value at a revision after %d", got, first.Revision)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "two", got.Revision)
	}},
	{"an error of try comes back as it is", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		mine := errors.New("mine")
		calls := 0
		_, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(storage.Entry) ([]byte, []storage.Op, error) {
			calls++
			return []byte("two"), nil, mine
		})
		if err != mine || calls != 1 {
			e.Fatalf("got error %v after %d calls, want the very error of the first", err, calls)
		}
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", first.Revision)
	}},
	{"the same bytes write nothing", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		before := e.revision()
		for name, try := range map[string]storage.TryUpdate{
			"the value itself": func(current storage.Entry) ([]byte, []storage.Op, error) { return current.Value, nil, nil },
			"equal bytes":      set("one"),
		} {
			got, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", try)
			if err != nil {
				e.Fatal(err)
			}
			e.wantEntry(got, "/pods/ns/a", "one", first.Revision)
			if after := e.revision(); after != before {
				e.Fatalf("%s: revision went from %d to %d", name, before, after)
			}
		}
	}},
	{"a conflict asks again with the newer value", func(e *env) {
		e.create("/pods/ns/a", "one")
		var other int64
		var seen []string
		got, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]byte, []storage.Op, error) {
			seen = append(seen, string(current.Value))
			if len(seen) == 1 {
				other = e.Put("/pods/ns/a", []byte("two"))
			} else if current.Revision != other {
				e.Errorf("second try sees revision %d, want %d", current.Revision, other)
			}
			return append([]byte("mine after "), current.Value...), nil, nil
		})
		if err != nil || string(got.Value) != "mine after two" || fmt.Sprint(seen) != "[one two]" {
			e.Fatalf("got %q, %v after tries %v", got.Value, err, seen)
		}
	}},
	{"an entry that goes meanwhile is not found", func(e *env) {
		e.create("/pods/ns/a", "one")
		calls := 0
		_, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(storage.Entry) ([]byte, []storage.Op, error) {
			calls++
			e.delete("/pods/ns/a")
			return []byte("two"), nil, nil
		})
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/a")
		if calls != 1 {
			e.Fatalf("%d tries", calls)
		}
		e.missing("/pods/ns/a")
	}},
	{"an entry that is another one meanwhile is seen", func(e *env) {
		e.create("/pods/ns/a", "one")
		calls := 0
		mine := errors.New("another one")
		_, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]byte, []storage.Op, error) {
			calls++
			if calls == 1 {
				e.delete("/pods/ns/a")
				e.create("/pods/ns/a", "other")
				return []byte("two"), nil, nil
			}
			return nil, nil, mine
		})
		if err != mine || calls != 2 {
			e.Fatalf("got %v after %d tries", err, calls)
		}
	}},
	{"increments by many are all counted", func(e *env) {
		const workers, each = 8, 10
		e.create("/pods/ns/counter", "0")
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for range each {
					if _, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/counter", increment); err != nil {
						e.Errorf("increment: %v", err)
						return
					}
				}
			})
		}
		wg.Wait()
		if got := e.get("/pods/ns/counter"); string(got.Value) != strconv.Itoa(workers*each) {
			e.Fatalf("counter is %s, want %d", got.Value, workers*each)
		}
	}},
	{"endless conflicts end with the context", func(e *env) {
		e.create("/pods/ns/a", "one")
		ctx, cancel := context.WithCancel(e.ctx)
		defer cancel()
		tries := 0
		_, err := e.s.GuaranteedUpdate(ctx, "/pods/ns/a", func(storage.Entry) ([]byte, []storage.Op, error) {
			if tries++; tries == 3 {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			e.Put("/pods/ns/a", fmt.Appendf(nil, "other %d", tries))
			return []byte("mine"), nil, nil
		})
		if !errors.Is(err, context.Canceled) || tries < 3 {
			e.Fatalf("got %v after %d tries", err, tries)
		}
		if got := e.get("/pods/ns/a"); string(got.Value) == "mine" {
			e.Fatal("the update was written")
		}
	}},
	{"a value that is too large is refused and the old one stays", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		_, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(storage.Entry) ([]byte, []storage.Op, error) {
			return make([]byte, 5<<20), nil, nil
		})
		e.wantCode(err, storage.CodeTooLarge, "/pods/ns/a")
		e.wantEntry(e.get("/pods/ns/a"), "/pods/ns/a", "one", first.Revision)
	}},
}

// increment is a TryUpdate on a decimal number.
func increment(current storage.Entry) ([]byte, []storage.Op, error) {
	n, err := strconv.Atoi(string(current.Value))
	return strconv.AppendInt(nil, int64(n+1), 10), nil, err
}
