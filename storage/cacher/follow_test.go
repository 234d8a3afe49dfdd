package cacher_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// follower rebuilds a prefix from events.
type follower struct {
	w     storage.Watcher
	state map[string]storage.Entry
	after int64
	seen  int
}

// follow lists what c holds and begins to watch behind that.
func follow(ctx context.Context, c *cacher.Cacher) (*follower, error) {
	page, err := c.List(ctx, "/pods/", storage.ListOptions{})
	if err != nil {
		return nil, err
	}
	f := &follower{after: page.Revision}
	f.begin(page)
	f.w, err = c.Watch(ctx, "/pods/", storage.WatchOptions{After: page.Revision, Progress: true})
	return f, err
}

// begin is with what a list shows.
func (f *follower) begin(page storage.Page) {
	f.state = map[string]storage.Entry{}
	for _, e := range page.Entries {
		f.state[e.Key] = *e
	}
}

// runAnew is run for a cache that loses history: whoever is told so lists again.
func (f *follower) runAnew(c *cacher.Cacher, until int64) (ended int, err error) {
	for {
		err := f.run(until)
		if storage.CodeOf(err) != storage.CodeCompacted {
			return ended, err
		}
		ended++
		f.w.Close()
		anew, err := follow(context.Background(), c)
		if storage.CodeOf(err) == storage.CodeCompacted {
			continue // the next list came in between
		}
		if err != nil {
			return ended, err
		}
		*f = *anew
	}
}

func (f *follower) run(until int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for f.after < until {
		events, err := f.w.Next(ctx)
		if err != nil {
			return fmt.Errorf("at revision %d: %w", f.after, err)
		}
		for _, ev := range events {
			if ev.Entry.Revision <= f.after {
				return fmt.Errorf("%+v after revision %d", ev, f.after)
			}
			f.after = ev.Entry.Revision
			if ev.Type == storage.Bookmark {
				continue
			}
			f.seen++
			prev := f.state[ev.Entry.Key]
			if !cmp.Equal(prev, ev.Prev) {
				return fmt.Errorf("%+v, but the one before is %+v", ev, prev)
			}
			if ev.Type == storage.Deleted {
				delete(f.state, ev.Entry.Key)
			} else {
				f.state[ev.Entry.Key] = ev.Entry
			}
		}
	}
	return nil
}

// followThrough lets watchers follow while n changes are made, and compares what they have with the
// source. If lossless is set, each of them must see each change.
func followThrough(t *testing.T, c *cacher.Cacher, source storage.Interface, n int, lossless bool) {
	t.Helper()
	ctx := context.Background()
	began, err := c.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var followers []*follower
	end := make(chan struct{})
	var last int64
	for range 8 {
		f, err := follow(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { f.w.Close() }()
		followers = append(followers, f)
		wg.Go(func() {
			first, err := f.runAnew(c, began+1)
			if err != nil {
				t.Error(err)
				return
			}
			<-end
			then, err := f.runAnew(c, last)
			if err != nil {
				t.Error(err)
			}
			if lossless && first+then > 0 {
				t.Errorf("a watch ended %d times", first+then)
			}
		})
	}
	last = write(t, source, n)
	close(end)
	wg.Wait()
	want, err := source.List(ctx, "/pods/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.List(ctx, "/pods/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Entries, got.Entries); diff != "" {
		t.Errorf("cache differs from source (-source +cache)\n%s", diff)
	}
	for r := began; r < last; r += 3 {
		exactly := storage.ListOptions{Match: storage.Exact, Revision: r}
		want, err := source.List(ctx, "/pods/", exactly)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.List(ctx, "/pods/", exactly)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("state at %d (-source +cache)\n%s", r, diff)
		}
	}
	for i, f := range followers {
		if lossless && f.seen != n {
			t.Errorf("follower %d saw %d changes of %d", i, f.seen, n)
		}
		if len(f.state) != len(want.Entries) {
			t.Errorf("follower %d has %d entries, the source %d", i, len(f.state), len(want.Entries))
		}
		for _, e := range want.Entries {
			if !cmp.Equal(*e, f.state[e.Key]) {
				t.Errorf("follower %d has %+v, the source %+v", i, f.state[e.Key], e)
			}
		}
	}
}

func TestBrokenWatchesAreResumed(t *testing.T) {
	t.Parallel()
	f := newFaulty()
	f.every, f.with = 20*time.Millisecond, &storage.Error{Code: storage.CodeUnavailable}
	c := start(t, cacher.Config{Source: f})
	followThrough(t, c, f.now.Load(), 1500, true)
	if f.watches.Load() < 5 || f.lists.Load() != 1 {
		t.Errorf("%d watches, %d lists of the source", f.watches.Load(), f.lists.Load())
	}
}

func TestACompactedGapEndsWatches(t *testing.T) {
	t.Parallel()
	f := newFaulty()
	f.every, f.with = 20*time.Millisecond, &storage.Error{Code: storage.CodeCompacted}
	c := start(t, cacher.Config{Source: f})
	followThrough(t, c, f.now.Load(), 1500, false)
	if f.lists.Load() < 5 {
		t.Errorf("%d lists of the source", f.lists.Load())
	}
}
