package storagetest

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/typeplane/typeplane/storage"
)

var opsTests = []namedTest{
	{"create and operations are one transaction", func(e *env) {
		charged := e.Put("/quota/ns", []byte("1"))
		got, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("one"),
			storage.Op{Key: "/quota/ns", Expected: charged, Value: []byte("2")},
			storage.Op{Key: "/index/a", Value: []byte("new")})
		if err != nil {
			e.Fatal(err)
		}
		e.wantRaw("/pods/ns/a", "one", got.Revision)
		e.wantRaw("/quota/ns", "2", got.Revision)
		e.wantRaw("/index/a", "new", got.Revision)
	}},
	{"one operation that does not meet its revision stops a create", func(e *env) {
		there := e.Put("/quota/ns", []byte("1"))
		for name, op := range map[string]storage.Op{
			"wants none, there is one":     {Key: "/quota/ns", Value: []byte("2")},
			"wants another revision":       {Key: "/quota/ns", Expected: there - 1, Value: []byte("2")},
			"wants a future revision":      {Key: "/quota/ns", Expected: there + 100, Value: []byte("2")},
			"wants a revision, there none": {Key: "/quota/missing", Expected: there, Value: []byte("2")},
		} {
			_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("one"), storage.Op{Key: "/index/a", Value: []byte("new")}, op)
			e.Log(name)
			e.wantCode(err, storage.CodeConflict, op.Key)
			e.missing("/pods/ns/a")
			e.missing("/index/a")
			e.missing("/quota/missing")
			e.wantRaw("/quota/ns", "1", there)
		}
	}},
	{"an existing key is said before a conflict", func(e *env) {
		e.create("/pods/ns/a", "one")
		_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("two"), storage.Op{Key: "/quota/ns", Expected: 1, Value: []byte("2")})
		e.wantCode(err, storage.CodeExists, "/pods/ns/a")
		e.missing("/quota/ns")
	}},
	{"update and operations are one transaction", func(e *env) {
		e.create("/pods/ns/a", "one")
		charged := e.Put("/quota/ns", []byte("1"))
		got, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(storage.Entry) ([]byte, []storage.Op, error) {
			return []byte("two"), []storage.Op{{Key: "/quota/ns", Expected: charged, Value: []byte("2")}}, nil
		})
		if err != nil {
			e.Fatal(err)
		}
		e.wantRaw("/pods/ns/a", "two", got.Revision)
		e.wantRaw("/quota/ns", "2", got.Revision)
	}},
	{"an operation's conflict asks an update again", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		e.Put("/quota/ns", []byte("1"))
		calls := 0
		got, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]byte, []storage.Op, error) {
			calls++
			e.wantEntry(current, "/pods/ns/a", "one", first.Revision)
			raw, rev := e.Get("/quota/ns")
			if calls == 1 {
				e.Put("/quota/ns", []byte("5"))
			}
			return []byte("two"), []storage.Op{{Key: "/quota/ns", Expected: rev, Value: append(raw[:len(raw):len(raw)], '+')}}, nil
		})
		if err != nil || calls != 2 {
			e.Fatalf("got %v after %d tries", err, calls)
		}
		e.wantRaw("/quota/ns", "5+", got.Revision)
	}},
	{"unchanged bytes with operations are written", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		got, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]byte, []storage.Op, error) {
			return current.Value, []storage.Op{{Key: "/quota/ns", Value: []byte("1")}}, nil
		})
		if err != nil || got.Revision <= first.Revision {
			e.Fatalf("got %+v, %v", got, err)
		}
		e.wantRaw("/quota/ns", "1", got.Revision)
	}},
	{"a shared counter is exact", func(e *env) {
		const workers, each = 4, 8
		e.Put("/quota/ns", []byte("0"))
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := range each {
					key := fmt.Sprintf("/pods/ns/%d-%d", w, i)
					if err := createCharged(e, key); err != nil {
						e.Errorf("create %s: %v", key, err)
						return
					}
					_, err := e.s.GuaranteedUpdate(e.ctx, key, func(storage.Entry) ([]byte, []storage.Op, error) {
						return []byte("two"), []storage.Op{charge(e)}, nil
					})
					if err != nil {
						e.Errorf("update %s: %v", key, err)
						return
					}
				}
			})
		}
		wg.Wait()
		if raw, _ := e.Get("/quota/ns"); string(raw) != strconv.Itoa(2*workers*each) {
			e.Fatalf("counter is %s, want %d", raw, 2*workers*each)
		}
	}},
	{"operations that can't be in one transaction are refused", func(e *env) {
		many := make([]storage.Op, storage.MaxOps+1)
		for i := range many {
			many[i] = storage.Op{Key: fmt.Sprintf("/index/%d", i), Value: []byte("x")}
		}
		for key, with := range map[string][]storage.Op{
			"/pods/ns/a": {{Key: "/pods/ns/a", Value: []byte("x")}},
			"/index/a":   {{Key: "/index/a", Value: []byte("x")}, {Key: "/index/a", Value: []byte("x")}},
			"/index/b":   {{Key: "/index/b", Expected: -1, Value: []byte("x")}},
		} {
			_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("x"), with...)
			e.wantCode(err, storage.CodeInvalidKey, key)
		}
		_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("x"), many...)
		e.wantCode(err, storage.CodeInvalidKey, "/pods/ns/a")
		e.missing("/pods/ns/a")
		if _, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("x"), many[:storage.MaxOps]...); err != nil {
			e.Fatalf("as many as possible: %v", err)
		}
	}},
	{"a watch sees all changes of a transaction", func(e *env) {
		w := e.watch("/", e.revision())
		got, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("one"), storage.Op{Key: "/quota/ns", Value: []byte("1")})
		if err != nil {
			e.Fatal(err)
		}
		events, err := w.Next(e.ctx)
		if err != nil || len(events) != 2 {
			e.Fatalf("got %+v, %v; want the two changes at once", events, err)
		}
		revs := map[string]int64{}
		for _, ev := range events {
			revs[ev.Entry.Key] = ev.Entry.Revision
		}
		if revs["/pods/ns/a"] != got.Revision || revs["/quota/ns"] != got.Revision {
			e.Fatalf("events at %v, want both at %d", revs, got.Revision)
		}
	}},
}

// charge is the operation that adds one to the counter.
func charge(e *env) storage.Op {
	raw, rev := e.Get("/quota/ns")
	n, _ := strconv.Atoi(string(raw))
	return storage.Op{Key: "/quota/ns", Expected: rev, Value: strconv.AppendInt(nil, int64(n+1), 10)}
}

// createCharged creates key and charges it, again and again while others charge.
func createCharged(e *env, key string) error {
	for {
		_, err := e.s.Create(e.ctx, key, []byte("one"), charge(e))
		if storage.CodeOf(err) != storage.CodeConflict {
			return err
		}
	}
}

func (e *env) wantRaw(key, value string, revision int64) {
	e.Helper()
	if raw, rev := e.Get(key); string(raw) != value || rev != revision {
		e.Fatalf("%s: database has %q at %d, want %q at %d", key, raw, rev, value, revision)
	}
}
