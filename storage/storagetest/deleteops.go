package storagetest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/typeplane/typeplane/storage"
)

var deleteOpsTests = []namedTest{
	{"delete and operations are one transaction", func(e *env) {
		e.create("/pods/ns/a", "one")
		charged := e.Put("/quota/ns", []byte("1"))
		w := e.watch("/", e.revision())
		got, err := e.s.Delete(e.ctx, "/pods/ns/a", with(
			storage.Op{Key: "/quota/ns", Expected: charged, Value: []byte("0")},
			storage.Op{Key: "/index/a", Value: []byte("gone")}))
		if err != nil {
			e.Fatal(err)
		}
		e.wantEntry(got, "/pods/ns/a", "one", got.Revision)
		e.missing("/pods/ns/a")
		e.wantRaw("/quota/ns", "0", got.Revision)
		e.wantRaw("/index/a", "gone", got.Revision)
		events, err := w.Next(e.ctx)
		if err != nil || len(events) != 3 {
			e.Fatalf("got %+v, %v; want the three changes at once", events, err)
		}
	}},
	{"an operation's conflict asks a deletion again", func(e *env) {
		first := e.create("/pods/ns/a", "one")
		e.Put("/quota/ns", []byte("1"))
		calls := 0
		got, err := e.s.Delete(e.ctx, "/pods/ns/a", func(current storage.Entry) ([]storage.Op, error) {
			calls++
			e.wantEntry(current, "/pods/ns/a", "one", first.Revision)
			raw, rev := e.Get("/quota/ns")
			if calls == 1 {
				e.Put("/quota/ns", []byte("5"))
			}
			return []storage.Op{
				{Key: "/index/a", Value: []byte("gone")},
				{Key: "/quota/ns", Expected: rev, Value: append(raw[:len(raw):len(raw)], '-')},
			}, nil
		})
		if err != nil || calls != 2 {
			e.Fatalf("got %v after %d checks", err, calls)
		}
		e.missing("/pods/ns/a")
		e.wantRaw("/quota/ns", "5-", got.Revision)
	}},
	{"nothing is half written when a check gives up after a conflict", func(e *env) {
		there := e.create("/pods/ns/a", "one")
		charged := e.Put("/quota/ns", []byte("1"))
		mine, calls := errors.New("enough"), 0
		_, err := e.s.Delete(e.ctx, "/pods/ns/a", func(storage.Entry) ([]storage.Op, error) {
			if calls++; calls > 1 {
				return nil, mine
			}
			return []storage.Op{{Key: "/index/a", Value: []byte("gone")}, {Key: "/quota/ns", Expected: charged + 100, Value: []byte("0")}}, nil
		})
		if err != mine {
			e.Fatalf("got %v, want the very error of the check", err)
		}
		e.wantRaw("/pods/ns/a", "one", there.Revision)
		e.wantRaw("/quota/ns", "1", charged)
		e.missing("/index/a")
	}},
	{"operations that can't go with a deletion are refused", func(e *env) {
		e.create("/pods/ns/a", "one")
		for key, op := range map[string]storage.Op{
			"/pods/ns/a": storage.Lifetime(time.Minute),
			"/index/a":   {Key: "/index/a", Expected: -1},
			"/index/b":   {Key: "/index/b", Act: storage.Remove},
		} {
			_, err := e.s.Delete(e.ctx, "/pods/ns/a", with(op))
			e.wantCode(err, storage.CodeInvalidKey, key)
		}
		_, err := e.s.Delete(e.ctx, "/pods/ns/a", with(storage.Op{Key: "/pods/ns/a", Value: []byte("x")}))
		e.wantCode(err, storage.CodeInvalidKey, "/pods/ns/a")
		e.get("/pods/ns/a")
	}},
	{"a shared counter is exact", func(e *env) {
		const workers, each = 4, 8
		e.Put("/quota/ns", []byte("0"))
		for i := range workers * each {
			if err := createCharged(e, fmt.Sprintf("/pods/ns/%d", i)); err != nil {
				e.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := range each {
					_, err := e.s.Delete(e.ctx, fmt.Sprintf("/pods/ns/%d", w*each+i), func(storage.Entry) ([]storage.Op, error) {
						raw, rev := e.Get("/quota/ns")
						n, _ := strconv.Atoi(string(raw))
						return []storage.Op{{Key: "/quota/ns", Expected: rev, Value: strconv.AppendInt(nil, int64(n-1), 10)}}, nil
					})
					if err != nil {
						e.Errorf("delete: %v", err)
					}
				}
			})
		}
		wg.Wait()
		if raw, _ := e.Get("/quota/ns"); string(raw) != "0" {
			e.Fatalf("counter is %s, want 0", raw)
		}
	}},
}

// actTests are of operations that put nothing.
var actTests = []namedTest{
	{"what is only expected is not written", func(e *env) {
		there := e.Put("/marks/ns", []byte("open"))
		w := e.watch("/", e.revision())
		got, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("one"),
			storage.Op{Key: "/marks/ns", Expected: there, Act: storage.Expect}, storage.Op{Key: "/marks/none", Act: storage.Expect})
		if err != nil {
			e.Fatal(err)
		}
		e.wantRaw("/pods/ns/a", "one", got.Revision)
		e.wantRaw("/marks/ns", "open", there)
		e.missing("/marks/none")
		events, err := w.Next(e.ctx)
		if err != nil || len(events) != 1 || events[0].Entry.Key != "/pods/ns/a" {
			e.Fatalf("got %+v, %v; want the one change", events, err)
		}
	}},
	{"what is expected and not so stops every write", func(e *env) {
		there := e.Put("/marks/ns", []byte("open"))
		for _, op := range []storage.Op{
			{Key: "/marks/ns", Act: storage.Expect},
			{Key: "/marks/ns", Expected: there - 1, Act: storage.Expect},
			{Key: "/marks/none", Expected: there, Act: storage.Expect},
			{Key: "/marks/none", Expected: there, Act: storage.Remove},
			{Key: "/marks/ns", Expected: there - 1, Act: storage.Remove},
		} {
			_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("one"), op)
			e.wantCode(err, storage.CodeConflict, op.Key)
			e.missing("/pods/ns/a")
			e.wantRaw("/marks/ns", "open", there)
		}
		e.create("/pods/ns/b", "one")
		stale, mine := storage.Op{Key: "/marks/ns", Act: storage.Expect}, errors.New("enough")
		calls := 0
		_, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/b", func(storage.Entry) ([]byte, []storage.Op, error) {
			if calls++; calls > 1 {
				return nil, nil, mine
			}
			return []byte("two"), []storage.Op{stale}, nil
		})
		if err != mine {
			e.Fatalf("update: %v", err)
		}
		calls = 0
		_, err = e.s.Delete(e.ctx, "/pods/ns/b", func(storage.Entry) ([]storage.Op, error) {
			if calls++; calls > 1 {
				return nil, mine
			}
			return []storage.Op{stale}, nil
		})
		if err != mine || string(e.get("/pods/ns/b").Value) != "one" {
			e.Fatalf("delete: %v", err)
		}
	}},
	{"what is removed goes with the write", func(e *env) {
		e.create("/pods/ns/a", "one")
		mark := e.create("/marks/ns", "open")
		w := e.watch("/marks/", e.revision())
		got, err := e.s.Delete(e.ctx, "/pods/ns/a", with(storage.Op{Key: "/marks/ns", Expected: mark.Revision, Act: storage.Remove}))
		if err != nil {
			e.Fatal(err)
		}
		e.missing("/pods/ns/a")
		e.missing("/marks/ns")
		events, err := w.Next(e.ctx)
		if err != nil || len(events) != 1 || events[0].Type != storage.Deleted || events[0].Entry.Revision != got.Revision {
			e.Fatalf("got %+v, %v; want the deletion at %d", events, err, got.Revision)
		}
	}},
}

// with is a check that allows the deletion and wants more to be written.
func with(ops ...storage.Op) storage.CheckDelete {
	return func(storage.Entry) ([]storage.Op, error) { return ops, nil }
}
