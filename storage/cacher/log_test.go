package cacher_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

func update(t *testing.T, s storage.Interface, key string, value []byte) storage.Entry {
	t.Helper()
	e, err := s.GuaranteedUpdate(context.Background(), key, func(storage.Entry) ([]byte, []storage.Op, error) { return value, nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLogIsBoundedByBytes(t *testing.T) {
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source, LogBytes: 100 << 10})
	ctx := context.Background()
	first, err := source.Create(ctx, "/pods/a", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	slow, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: first.Revision})
	if err != nil {
		t.Fatal(err)
	}
	var last storage.Entry
	for i := range 100 {
		last = update(t, source, "/pods/a", fmt.Appendf(make([]byte, 10<<10), "%d", i))
	}
	if _, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	stats := c.Stats()
	if stats.EventBytes > 100<<10 || stats.Events < 5 || stats.Events > 11 {
		t.Errorf("the log holds %d events with %d bytes", stats.Events, stats.EventBytes)
	}
	if stats.Early != int64(101-stats.Events) {
		t.Errorf("%d of 101 events are left, and %d went early", stats.Events, stats.Early)
	}
	if _, err := slow.Next(ctx); storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("a watcher that fell off: %v", err)
	}
	if _, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: stats.OldestLog - 1}); storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("a watch from before the log: %v", err)
	}
	w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: stats.OldestLog})
	if err != nil {
		t.Fatal(err)
	}
	events, err := w.Next(ctx)
	if err != nil || len(events) != stats.Events || events[len(events)-1].Entry.Revision != last.Revision {
		t.Errorf("%d events from the oldest revision, %v", len(events), err)
	}
}

func TestLogIsBoundedByTime(t *testing.T) {
	var now atomic.Int64
	clock := func() time.Time { return time.Unix(now.Load(), 0) }
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source, Window: 75 * time.Second, Now: clock})
	ctx := context.Background()
	_, err := source.Create(ctx, "/pods/a", []byte("0"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		now.Add(10)
		update(t, source, "/pods/a", fmt.Appendf(nil, "%d", i+1))
		if _, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if s := c.Stats(); s.Events != 8 || s.Early != 0 {
		t.Errorf("%d events of the last 75 s, want those of 0, 10 … 70 s ago; %d went early", s.Events, s.Early)
	}
}

func TestPastStates(t *testing.T) {
	t.Parallel()
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx := context.Background()
	last := write(t, source, 2500)
	if _, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := source.Database().Compact(last); err != nil {
		t.Fatal(err)
	}
	// Only the cache knows the past now. Replay its own events beside it.
	w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{w: w, state: map[string]storage.Entry{}}
	for compared := 0; f.after < last; {
		events, err := w.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			if ev.Type == storage.Deleted {
				delete(f.state, ev.Entry.Key)
			} else {
				f.state[ev.Entry.Key] = ev.Entry
			}
			if f.after = ev.Entry.Revision; f.after%137 == 0 {
				comparePast(t, c, f)
				compared++
			}
		}
		if f.after == last && compared < 15 {
			t.Errorf("only %d states were compared", compared)
		}
	}
}

func comparePast(t *testing.T, c *cacher.Cacher, f *follower) {
	t.Helper()
	page, err := c.List(context.Background(), "/pods/", storage.ListOptions{Match: storage.Exact, Revision: f.after})
	if err != nil {
		t.Fatalf("state at %d: %v", f.after, err)
	}
	got := map[string]storage.Entry{}
	for _, e := range page.Entries {
		got[e.Key] = *e
	}
	if diff := cmp.Diff(f.state, got); diff != "" || page.Revision != f.after {
		t.Fatalf("state at %d, page at %d (-want +got)\n%s", f.after, page.Revision, diff)
	}
}
