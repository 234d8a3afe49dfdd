package cacher_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// forgetful is a source whose watches leave out or change events.
type forgetful struct {
	*memory.Store
	mu   sync.Mutex
	spot func(*storage.Event) (keep bool) // nil: all are kept
}

func (f *forgetful) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	w, err := f.Store.Watch(ctx, prefix, opts)
	return &forgetfulWatcher{w, f}, err
}

type forgetfulWatcher struct {
	storage.Watcher
	f *forgetful
}

func (w *forgetfulWatcher) Next(ctx context.Context) ([]storage.Event, error) {
	for {
		events, err := w.Watcher.Next(ctx)
		var kept []storage.Event
		w.f.mu.Lock()
		for _, ev := range events {
			if ev.Type == storage.Bookmark || w.f.spot == nil || w.f.spot(&ev) {
				kept = append(kept, ev)
			}
		}
		w.f.mu.Unlock()
		if len(kept) > 0 || err != nil {
			return kept, err
		}
	}
}

// moveOn makes a change elsewhere, so that the source has a later revision to tell of.
func (f *forgetful) moveOn() { f.Database().Put("/secrets/a", []byte("x")) }

func (f *forgetful) set(spot func(*storage.Event) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spot = spot
}

// logged is a log to look into.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.buf.String(), text)
}

// Whatever the watch leaves out or makes up, the cache finds out, says so, begins anew, and sends
// its watchers away.
func TestWhatTheWatchLeavesOut(t *testing.T) {
	drop := func(*storage.Event) bool { return false }
	for _, tc := range []struct {
		name string
		spot func(*storage.Event) bool
		do   func(t *testing.T, s storage.Interface)
		says string
	}{
		{"a deletion", drop, func(t *testing.T, s storage.Interface) {
			if _, err := s.Delete(t.Context(), "/pods/ns/b", nil); err != nil {
				t.Fatal(err)
			}
		}, "/pods/ns/b is not in the database"},
		{"a creation", drop, func(t *testing.T, s storage.Interface) {
			if _, err := s.Create(t.Context(), "/pods/ns/d", []byte("new")); err != nil {
				t.Fatal(err)
			}
		}, "/pods/ns/d is not in the cache"},
		{"an update", drop, func(t *testing.T, s storage.Interface) { update(t, s, "/pods/ns/c", []byte("changed")) }, "/pods/ns/c is at revision"},
		{"a value", func(ev *storage.Event) bool {
			ev.Entry.Value = []byte("wrong")
			return true
		}, func(t *testing.T, s storage.Interface) { update(t, s, "/pods/ns/a", []byte("right")) }, "/pods/ns/a has another value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			source := &forgetful{Store: memory.New(memory.Config{ProgressInterval: quick})}
			for _, name := range []string{"a", "b", "c"} {
				if _, err := source.Create(t.Context(), "/pods/ns/"+name, []byte(name)); err != nil {
					t.Fatal(err)
				}
			}
			log := &logged{}
			c := start(t, cacher.Config{Source: source, Log: slog.New(slog.NewTextHandler(log, nil))})
			w, err := c.Watch(t.Context(), "/pods/", storage.WatchOptions{After: c.Stats().Revision})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := c.Check(t.Context()); err != nil || c.Stats().Mistrusted != 0 {
				t.Fatalf("as long as all is well: %v, %+v", err, c.Stats())
			}
			source.set(tc.spot)
			tc.do(t, source)
			source.moveOn()
			if _, err := c.List(t.Context(), "/pods/", storage.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			source.set(nil)
			if err := c.Check(t.Context()); err != nil || c.Stats().Mistrusted != 1 || !log.has(tc.says) {
				t.Fatalf("%v, %+v; the log says: %s", err, c.Stats(), log.buf.String())
			}
			want, err := source.List(t.Context(), "/pods/", storage.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.List(t.Context(), "/pods/", storage.ListOptions{})
			if diff := cmp.Diff(want.Entries, got.Entries); err != nil || diff != "" {
				t.Errorf("afterwards: %v (-source +cache)\n%s", err, diff)
			}
			for err == nil {
				_, err = w.Next(t.Context())
			}
			if storage.CodeOf(err) != storage.CodeCompacted {
				t.Errorf("the watch: %v", err)
			}
			if err := c.Check(t.Context()); err != nil || c.Stats().Mistrusted != 1 {
				t.Errorf("all is well again: %v, %+v", err, c.Stats())
			}
		})
	}
}

// A change that can't follow what the cache has is noticed when it comes, without a check.
func TestAChangeThatDoesNotFit(t *testing.T) {
	source := &forgetful{Store: memory.New(memory.Config{ProgressInterval: quick})}
	log := &logged{}
	c := start(t, cacher.Config{Source: source, Log: slog.New(slog.NewTextHandler(log, nil))})
	source.set(func(ev *storage.Event) bool { return ev.Type != storage.Created })
	if _, err := source.Create(t.Context(), "/pods/ns/a", []byte("a")); err != nil {
		t.Fatal(err)
	}
	source.moveOn()
	if _, err := c.List(t.Context(), "/pods/", storage.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	e := update(t, source, "/pods/ns/a", []byte("b"))
	got, err := c.Get(t.Context(), "/pods/ns/a", storage.GetOptions{})
	if err != nil || got.Revision != e.Revision || c.Stats().Mistrusted != 1 || !log.has("has left out a change: /pods/ns/a") {
		t.Errorf("got %+v, %v, %+v", got, err, c.Stats())
	}
}

func TestChecksRunByThemselves(t *testing.T) {
	source := &forgetful{Store: memory.New(memory.Config{ProgressInterval: quick})}
	c := start(t, cacher.Config{Source: source, CheckEvery: 5 * time.Millisecond})
	if _, err := source.Create(t.Context(), "/pods/ns/a", []byte("a")); err != nil {
		t.Fatal(err)
	}
	await(t, "three checks", func() bool { return c.Stats().Checks >= 3 })
	if s := c.Stats(); s.Mistrusted != 0 {
		t.Errorf("%+v", s)
	}
	source.set(func(*storage.Event) bool { return false })
	if _, err := source.Delete(t.Context(), "/pods/ns/a", nil); err != nil {
		t.Fatal(err)
	}
	source.moveOn()
	await(t, "the cache finds out", func() bool { return c.Stats().Mistrusted >= 1 })
}

// Checks find nothing wrong while everything changes.
func TestChecksWhileThingsHappen(t *testing.T) {
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	done := make(chan struct{})
	go func() {
		defer close(done)
		write(t, source, 1000)
	}()
	for n := 0; ; n++ {
		if err := c.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
			if s := c.Stats(); s.Mistrusted != 0 || s.Checks != int64(n+1) {
				t.Errorf("%d checks: %+v", n+1, s)
			}
			return
		default:
		}
	}
}
