package cacher_test

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// What the source can't read any more, because a key has left it and the cache is yet to be told,
// is no difference. A check says so and leaves the cache and its watches alone.
func TestCheckWithoutAKey(t *testing.T) {
	var locked atomic.Bool
	form := storage.Form{Canonical: func(_ string, stored []byte) ([]byte, bool, error) {
		if locked.Load() {
			return nil, false, errors.New("there is no such key")
		}
		return stored, false, nil
	}}
	source := memory.New(memory.Config{Form: form, ProgressInterval: quick})
	log := &logged{}
	c := start(t, cacher.Config{Source: source, Log: slog.New(slog.NewTextHandler(log, nil))})
	e, err := source.Create(t.Context(), "/pods/ns/a", []byte("a"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Watch(t.Context(), "/pods/", storage.WatchOptions{After: e.Revision})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := c.Get(t.Context(), e.Key, storage.GetOptions{}); err != nil {
		t.Fatal(err)
	}

	locked.Store(true)
	if err := c.Check(t.Context()); err != nil || c.Stats().Mistrusted != 0 {
		t.Fatalf("%v, %+v; the log says: %s", err, c.Stats(), log.buf.String())
	}
	if !log.has("/pods/ns/a") || !log.has("there is no such key") {
		t.Errorf("the log does not say what can't be read: %s", log.buf.String())
	}
	if got, err := c.Get(t.Context(), e.Key, storage.GetOptions{Any: true}); err != nil || string(got.Value) != "a" {
		t.Errorf("from the cache: %+v, %v", got, err)
	}

	locked.Store(false)
	later, err := source.Create(t.Context(), "/pods/ns/b", []byte("b"))
	if err != nil {
		t.Fatal(err)
	}
	if events, err := w.Next(t.Context()); err != nil || len(events) != 1 || events[0].Entry.Revision != later.Revision {
		t.Errorf("the watch got %+v, %v", events, err)
	}
}
