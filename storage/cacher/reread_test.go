package cacher_test

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// Entries that could not be read, and whose key has come back since, can be read from the cache
// after Reread. Watches go on and hear of nothing but what happens.
func TestReread(t *testing.T) {
	var open atomic.Bool
	locked := errors.New("locked")
	form := storage.Form{Canonical: func(_ string, stored []byte) ([]byte, bool, error) {
		if bytes.HasPrefix(stored, []byte("secret")) && !open.Load() {
			return nil, false, locked
		}
		return stored, open.Load(), nil
	}}
	source := memory.New(memory.Config{Form: form, ProgressInterval: quick})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	create := func(key, value string) storage.Entry {
		t.Helper()
		e, err := source.Create(ctx, key, []byte(value))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	secret := create("/pods/ns/a", "secret")
	plain := create("/pods/ns/b", "plain")
	c := start(t, cacher.Config{Source: source})
	if _, err := c.Get(ctx, "/pods/ns/a", storage.GetOptions{}); !errors.Is(err, locked) {
		t.Fatalf("got %v", err)
	}
	w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: plain.Revision})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()

	open.Store(true)
	for range 3 {
		c.Reread()
	}
	for {
		if _, err := c.Get(ctx, "/pods/ns/a", storage.GetOptions{}); err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("it can't be read")
		}
		time.Sleep(time.Millisecond)
	}
	secret.Stale, plain.Stale = true, true
	page, err := c.List(ctx, "/pods/", storage.ListOptions{Match: storage.Any})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*storage.Entry{&secret, &plain}, page.Entries); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s := c.Stats(); s.Entries != 2 || s.Bytes <= 0 || s.Broken != 0 {
		t.Errorf("%+v", s)
	}
	later := create("/pods/ns/c", "new")
	later.Stale = true
	events, err := w.Next(ctx)
	if want := []storage.Event{{Type: storage.Created, Entry: later}}; err != nil || !cmp.Equal(events, want) {
		t.Errorf("the watch got %+v, %v; want %+v", events, err, want)
	}
	// A watch that begins before Reread goes on, too.
	old, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: plain.Revision})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if events, err := old.Next(ctx); err != nil || len(events) != 1 || events[0].Entry.Revision != later.Revision {
		t.Errorf("a watch from before: %+v, %v", events, err)
	}
}

// A watch that begins before an entry was written finds in the log what Reread made of it.
func TestRereadOfTheLog(t *testing.T) {
	var broken atomic.Bool
	form := storage.Form{Canonical: func(_ string, stored []byte) ([]byte, bool, error) {
		if broken.Load() {
			return nil, false, errors.New("broken")
		}
		return stored, false, nil
	}}
	source := memory.New(memory.Config{Form: form, ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e, err := source.Create(ctx, "/pods/ns/a", []byte("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, e.Key, storage.GetOptions{NotOlderThan: e.Revision}); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	c.Reread()
	for err == nil && ctx.Err() == nil {
		_, err = c.Get(ctx, e.Key, storage.GetOptions{Any: true})
	}
	if storage.CodeOf(err) != storage.CodeCorrupt {
		t.Fatalf("got %v", err)
	}
	w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: e.Revision - 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	events, err := w.Next(ctx)
	if err != nil || len(events) != 1 || events[0].Entry.Revision != e.Revision || storage.CodeOf(events[0].Entry.Err) != storage.CodeCorrupt {
		t.Errorf("got %+v, %v", events, err)
	}
}

// Reread at any time ends neither the cache nor a watch, and leaves the cache what the source is.
func TestRereadWhileThingsHappen(t *testing.T) {
	t.Parallel()
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 300 {
			c.Reread()
			time.Sleep(100 * time.Microsecond)
		}
	}()
	write(t, source, 300)
	<-done
	last := write(t, source, 1)
	want, err := source.List(ctx, "/pods/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.List(ctx, "/pods/", storage.ListOptions{Match: storage.NotOlderThan, Revision: last})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Entries, got.Entries); diff != "" {
		t.Errorf("(-source +cache)\n%s", diff)
	}
}
