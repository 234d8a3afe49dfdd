package migration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/migration"
)

// bound keeps values bound to their keys, as encrypted ones are.
var bound = storage.Form{
	Canonical: func(key string, stored []byte) ([]byte, bool, error) {
		value, ok := bytes.CutPrefix(stored, []byte(key+"="))
		if !ok {
			return nil, false, errors.New("it belongs to another key")
		}
		return value, false, nil
	},
	Stored: func(key string, value []byte) ([]byte, error) { return append([]byte(key+"="), value...), nil },
}

// services are what lies around the keys of services, whose new prefix is inside the old one.
func services(keys ...string) (*memory.Database, *memory.Store) {
	db := memory.NewDatabase()
	for _, key := range keys {
		db.Put("/registry"+key, []byte(key+"="+key))
	}
	return db, memory.New(memory.Config{Database: db, Root: "/registry", Form: bound})
}

func toSpecs(store storage.Interface) migration.Relocation {
	return migration.Relocation{
		Store: store, From: migration.Place{Prefix: "/services/", Segments: 2}, To: "/services/specs/",
		Others: []migration.Place{{Prefix: "/services/endpoints/", Segments: 2}, {Prefix: "/services/zones/", Segments: 1}},
	}
}

// contents are what the readable entries hold, by key.
func contents(t *testing.T, store storage.Interface) map[string]string {
	t.Helper()
	page, err := store.List(ctx, "/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range page.Entries {
		if e.Err != nil {
			t.Errorf("%s: %v", e.Key, e.Err)
		}
		found[e.Key] = string(e.Value)
	}
	return found
}

func TestMove(t *testing.T) {
	_, store := services("/services/a/x", "/services/a/y", "/services/specs/x", "/services/specs/b/z", "/services/endpoints/x", "/services/endpoints/a/x",
		"/services/zones/z", "/services/one", "/servicesx/a/x", "/pods/a/x")
	m := toSpecs(store)
	key, err := m.Any(ctx)
	if err != nil || key != "/services/a/x" {
		t.Errorf("%q, %v", key, err)
	}
	moved, err := m.Move(ctx)
	if err != nil || moved != 4 {
		t.Errorf("%d, %v", moved, err)
	}
	want := map[string]string{
		"/services/specs/a/x": "/services/a/x", "/services/specs/a/y": "/services/a/y",
		// Namespaces may be called what the new prefixes are called.
		"/services/specs/specs/x": "/services/specs/x", "/services/specs/endpoints/x": "/services/endpoints/x",
		// The rest belongs to others, or was there already.
		"/services/specs/b/z": "/services/specs/b/z", "/services/endpoints/a/x": "/services/endpoints/a/x", "/services/zones/z": "/services/zones/z",
		"/services/one": "/services/one", "/servicesx/a/x": "/servicesx/a/x", "/pods/a/x": "/pods/a/x",
	}
	if diff := cmp.Diff(want, contents(t, store)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if key, err := m.Any(ctx); err != nil || key != "" {
		t.Errorf("%q is left, %v", key, err)
	}
	if moved, err := m.Move(ctx); err != nil || moved != 0 {
		t.Errorf("again: %d, %v", moved, err)
	}
}

// creating does something before each creation, and perhaps after it.
type creating struct {
	storage.Interface
	before func(key string) error
	after  func(key string) error
}

func (c creating) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	if c.before != nil {
		if err := c.before(key); err != nil {
			return storage.Entry{}, err
		}
	}
	e, err := c.Interface.Create(ctx, key, value, with...)
	if err == nil && c.after != nil {
		err = c.after(key)
	}
	return e, err
}

// However often and wherever a move is stopped, each entry is at one of its keys, and the last one
// brings all to their places.
func TestMoveIsStopped(t *testing.T) {
	const n = 1100 // more than two pages
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf("/services/ns-%d/s-%04d", i%3, i))
	}
	_, store := services(keys...)
	killed := errors.New("killed")
	moved := int64(0)
	for try := 0; ; try++ {
		if try > 50 {
			t.Fatal("it makes no progress")
		}
		left, answered := atomic.Int64{}, try%2 == 0
		left.Store(int64(7 + 40*try))
		stop := func(string) error {
			if left.Add(-1) < 0 {
				return killed
			}
			return nil
		}
		c := creating{Interface: store, before: stop}
		if answered { // the write happened, and nobody heard of it
			c = creating{Interface: store, after: stop}
		}
		part, err := toSpecs(c).Move(ctx)
		moved += part
		values := slices.Sorted(maps.Values(contents(t, store)))
		if !slices.Equal(values, slices.Sorted(slices.Values(keys))) {
			t.Fatalf("try %d: %d entries, with duplicates or without some", try, len(values))
		}
		if err == nil {
			break
		}
		if !errors.Is(err, killed) {
			t.Fatal(err)
		}
	}
	for key := range contents(t, store) {
		if !strings.HasPrefix(key, "/services/specs/ns-") {
			t.Errorf("%s is left", key)
		}
	}
}

func TestMoveMeetsOthers(t *testing.T) {
	// Another one moves the same entries.
	_, store := services("/services/a/x", "/services/a/y")
	c := creating{Interface: store, before: func(key string) error {
		if key != "/services/specs/a/x" {
			return nil
		}
		_, err := toSpecs(store).Move(ctx)
		return err
	}}
	if _, err := toSpecs(c).Move(ctx); err != nil {
		t.Error(err)
	}
	if got := contents(t, store); len(got) != 2 || got["/services/specs/a/x"] != "/services/a/x" {
		t.Errorf("moved twice: %v", got)
	}

	// Another one changes an entry, once: a change after the move would be a new entry at the old
	// key.
	db, store := services("/services/a/z")
	var changed sync.Once
	c = creating{Interface: store, before: func(string) error {
		changed.Do(func() { db.Put("/registry/services/a/z", []byte("/services/a/z=changed")) })
		return nil
	}}
	if _, err := toSpecs(c).Move(ctx); err != nil {
		t.Error(err)
	}
	if got := contents(t, store); len(got) != 1 || got["/services/specs/a/z"] != "changed" {
		t.Errorf("changed meanwhile: %v", got)
	}

	_, store = services("/services/a/x", "/services/specs/a/x")
	_, err := toSpecs(store).Move(ctx)
	if err == nil || !strings.Contains(err.Error(), "move /services/a/x to /services/specs/a/x: there is an entry at both keys") {
		t.Errorf("two at one key: %v", err)
	}
	if len(contents(t, store)) != 2 {
		t.Error("one of them is gone")
	}

	db, store = services()
	db.Put("/registry/services/a/x", []byte("what?"))
	if _, err := toSpecs(store).Move(ctx); storage.CodeOf(err) != storage.CodeCorrupt {
		t.Errorf("what can't be read: %v", err)
	}
	if value, _ := db.Get("/registry/services/a/x"); string(value) != "what?" {
		t.Errorf("it is %q now", value)
	}
}
