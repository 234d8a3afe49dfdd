package cacher_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// The cache is before a gap that it will have to cross by a list, and watches are opened at, in and
// behind the gap.
func TestWatchesThatBeginInAGap(t *testing.T) {
	f := newFaulty()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	kept, err := f.Create(ctx, "/pods/ns/kept", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	opening := make(chan struct{})
	f.opening.Store(&opening)
	c := start(t, cacher.Config{Source: f})
	made, err := f.Create(ctx, "/pods/ns/short", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	gone, err := f.Delete(ctx, "/pods/ns/short", nil)
	if err != nil {
		t.Fatal(err)
	}
	last, err := f.Delete(ctx, "/pods/ns/kept", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.now.Load().Database().Compact(last.Revision); err != nil {
		t.Fatal(err)
	}
	var watches []storage.Watcher
	for _, after := range []int64{kept.Revision, made.Revision, gone.Revision, last.Revision, last.Revision + 1} {
		w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: after})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		watches = append(watches, w)
	}
	f.opening.Store(nil)
	close(opening)

	for i, w := range watches[:3] {
		// What they miss is not known any more: the second knows an entry of which the cache never
		// heard.
		if events, err := w.Next(ctx); storage.CodeOf(err) != storage.CodeCompacted {
			t.Errorf("before the end of the gap, %d: %+v, %v", i, events, err)
		}
	}
	var behind [2]storage.Entry
	for i, key := range []string{"/pods/ns/a", "/pods/ns/b"} {
		if behind[i], err = f.Create(ctx, key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for i, w := range watches[3:] {
		want := storage.Event{Type: storage.Created, Entry: behind[i]}
		events, err := w.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if events[0].Encodings = nil; !cmp.Equal(events[0], want) {
			t.Errorf("behind the gap, %d: %+v; want %+v", i, events, want)
		}
	}
}

// Readers may have their list from elsewhere, and be ahead of the cache: their watches tell them
// all, or end.
func TestReadersAheadOfTheCache(t *testing.T) {
	t.Parallel()
	f := newFaulty()
	f.every, f.with = 20*time.Millisecond, &storage.Error{Code: storage.CodeCompacted}
	c := start(t, cacher.Config{Source: f})
	source, ctx := f.now.Load(), context.Background()
	var followers []*follower
	for range 60 {
		write(t, source, 5)
		page, err := source.List(ctx, "/pods/", storage.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: page.Revision, Progress: true})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		fw := &follower{w: w, state: map[string]storage.Entry{}, after: page.Revision}
		for _, e := range page.Entries {
			fw.state[e.Key] = *e
		}
		followers = append(followers, fw)
	}
	last := write(t, source, 100)
	want, err := source.List(ctx, "/pods/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	for i, fw := range followers {
		if err := fw.run(last); storage.CodeOf(err) == storage.CodeCompacted {
			ended++
			continue
		} else if err != nil {
			t.Errorf("follower %d: %v", i, err)
			continue
		}
		have := map[string]storage.Entry{}
		for _, e := range want.Entries {
			have[e.Key] = *e
		}
		if diff := cmp.Diff(have, fw.state); diff != "" {
			t.Errorf("follower %d (-source +follower)\n%s", i, diff)
		}
	}
	t.Logf("%d of %d ended", ended, len(followers))
}
