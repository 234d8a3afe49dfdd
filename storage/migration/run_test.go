package migration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/migration"
)

var ctx = context.Background()

// form keeps values behind "new:" and reads also "old:".
var form = storage.Form{
	Canonical: func(key string, stored []byte) ([]byte, bool, error) {
		if value, ok := bytes.CutPrefix(stored, []byte("new:")); ok {
			return value, false, nil
		}
		if value, ok := bytes.CutPrefix(stored, []byte("old:")); ok {
			return value, true, nil
		}
		return nil, false, errors.New("neither new nor old")
	},
	Stored: func(key string, value []byte) ([]byte, error) { return append([]byte("new:"), value...), nil },
}

// database has n entries below /pods/, of which every third is old, and one that nobody can read.
func database(n int) (*memory.Database, *memory.Store) {
	db := memory.NewDatabase()
	for i := range n {
		stored := "new:"
		if i%3 == 0 {
			stored = "old:"
		}
		db.Put(key(i), fmt.Appendf([]byte(stored), "%d", i))
	}
	db.Put("/pods/zzz", []byte("what?"))
	db.Put("/other/a", []byte("old:a"))
	return db, memory.New(memory.Config{Database: db, Form: form})
}

func key(i int) string { return fmt.Sprintf("/pods/%05d", i) }

func check(t *testing.T, got migration.Result, want migration.Result) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(migration.Count{}, "Examples")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRun(t *testing.T) {
	const n = 1200 // more than two pages
	db, store := database(n)
	before := db.Revision()
	w, err := store.Watch(ctx, "/pods/", storage.WatchOptions{After: before, Prev: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	count, err := migration.Survey(ctx, store, "/pods/")
	if err != nil || count.Entries != n+1 || count.Stale != n/3 || count.Unreadable != 1 || len(count.Examples) != 1 {
		t.Fatalf("%+v, %v", count, err)
	}
	calls, last := 0, int64(0)
	result, err := migration.Run(ctx, migration.Config{Store: store, Prefix: "/pods/", Progress: func(r migration.Result) {
		if calls++; r.Rewritten < last {
			t.Errorf("%d are rewritten, and before that %d", r.Rewritten, last)
		}
		last = r.Rewritten
	}})
	if err != nil || calls < n/3 || last != n/3 {
		t.Fatalf("%v, %d reports, the last one of %d", err, calls, last)
	}
	check(t, result, migration.Result{Count: count, Rewritten: n / 3})

	// Each was written once, its value is as it was, and nothing else was touched.
	seen := map[string]bool{}
	for len(seen) < n/3 {
		events, err := w.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type != storage.Modified || seen[e.Entry.Key] || !bytes.Equal(e.Entry.Value, e.Prev.Value) || e.Entry.Stale {
				t.Errorf("event %+v", e)
			}
			seen[e.Entry.Key] = true
		}
	}
	if got := db.Revision() - before; got != n/3 {
		t.Errorf("%d writes, want %d", got, n/3)
	}
	if result, err = migration.Run(ctx, migration.Config{Store: store, Prefix: "/pods/"}); err != nil {
		t.Fatal(err)
	}
	check(t, result, migration.Result{Count: migration.Count{Entries: n + 1, Unreadable: 1}})
}

// hooked does something before each update.
type hooked struct {
	storage.Interface
	before func(key string) error
}

func (h hooked) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	if err := h.before(key); err != nil {
		return storage.Entry{}, err
	}
	return h.Interface.GuaranteedUpdate(ctx, key, try)
}

// Other writers come between the read of a page and the write of an entry.
func TestOthersWriteMeanwhile(t *testing.T) {
	db, store := database(10)
	result, err := migration.Run(ctx, migration.Config{Prefix: "/pods/", Store: hooked{store, func(k string) error {
		switch k {
		case key(0):
			_, err := store.Delete(ctx, k, nil)
			return err
		case key(3):
			_, err := store.GuaranteedUpdate(ctx, k, func(storage.Entry) ([]byte, []storage.Op, error) { return []byte("theirs"), nil, nil })
			return err
		case key(6):
			db.Put(k, []byte("garbage"))
		}
		return nil
	}}})
	if err != nil {
		t.Fatal(err)
	}
	check(t, result, migration.Result{Count: migration.Count{Entries: 11, Stale: 3, Unreadable: 2}, Rewritten: 2, Gone: 1})
	if e, err := store.Get(ctx, key(3), storage.GetOptions{}); err != nil || string(e.Value) != "theirs" {
		t.Errorf("%q, %v", e.Value, err)
	}
}

// A migration that was stopped goes on where it was.
func TestStoppedAndRunAgain(t *testing.T) {
	const n = 30
	db, store := database(n)
	before := db.Revision()
	stopped, stop := context.WithCancel(ctx)
	writes := 0
	first, err := migration.Run(stopped, migration.Config{Prefix: "/pods/", Store: hooked{store, func(string) error {
		if writes++; writes == 4 {
			stop()
		}
		return nil
	}}, Pace: migration.NewPace(500)})
	if !errors.Is(err, context.Canceled) || first.Rewritten == 0 || first.Rewritten >= n/3 {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := migration.Run(ctx, migration.Config{Prefix: "/pods/", Store: store})
	if err != nil || first.Rewritten+second.Rewritten != n/3 || db.Revision()-before != n/3 {
		t.Errorf("%d, then %d, %v, in %d writes; want %d in all", first.Rewritten, second.Rewritten, err, db.Revision()-before, n/3)
	}
}

// What may be over in a moment is tried again; anything else ends the run.
func TestFailures(t *testing.T) {
	_, store := database(4)
	failures := map[string]int{}
	result, err := migration.Run(ctx, migration.Config{Prefix: "/pods/", Store: hooked{store, func(k string) error {
		if k == key(0) && failures[k] < 2 {
			failures[k]++
			return &storage.Error{Code: storage.CodeUnavailable, Op: "update", Key: k}
		}
		return nil
	}}, Pace: migration.NewPace(20)})
	if err != nil || result.Rewritten != 2 || failures[key(0)] != 2 {
		t.Errorf("%+v, %v, failures %v", result, err, failures)
	}
	_, store = database(4)
	disk := &storage.Error{Code: storage.CodeTooLarge, Op: "update", Key: key(3)}
	_, err = migration.Run(ctx, migration.Config{Prefix: "/pods/", Store: hooked{store, func(k string) error {
		if k == key(3) {
			return disk
		}
		return nil
	}}})
	if !errors.Is(err, disk) {
		t.Errorf("%v", err)
	}
}

func TestPace(t *testing.T) {
	_, store := database(60) // 20 stale ones
	began := time.Now()
	if _, err := migration.Run(ctx, migration.Config{Store: store, Prefix: "/pods/", Pace: migration.NewPace(100)}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 190*time.Millisecond {
		t.Errorf("20 writes at 100 a second took %v", took)
	}
}

// TestPanic: a value that panics when it is written is unreadable, and the others are rewritten.
func TestPanic(t *testing.T) {
	db := memory.NewDatabase()
	for i := range 20 {
		db.Put(key(i), fmt.Appendf(nil, "old:%d", i))
	}
	hostile := form
	hostile.Stored = func(key string, value []byte) ([]byte, error) {
		if string(value) == "7" {
			panic("the value is hostile")
		}
		return form.Stored(key, value)
	}
	store := memory.New(memory.Config{Database: db, Form: hostile})
	result, err := migration.Run(ctx, migration.Config{Store: store, Prefix: "/pods/"})
	if err != nil {
		t.Fatal(err)
	}
	check(t, result, migration.Result{Count: migration.Count{Entries: 20, Stale: 19, Unreadable: 1}, Rewritten: 19})
	if got := fmt.Sprint(result.Examples); !strings.Contains(got, key(7)) || !strings.Contains(got, "the value is hostile") {
		t.Error(got)
	}
}
