package cacher_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// watched is a cache with n watches of everything that comes.
func watched(t *testing.T, n int, config cacher.Config) (*cacher.Cacher, *memory.Store, []storage.Watcher) {
	t.Helper()
	source := memory.New(memory.Config{ProgressInterval: quick})
	config.Source = source
	c := start(t, config)
	first, err := source.Create(context.Background(), "/pods/a", []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	var ws []storage.Watcher
	for range n {
		w, err := c.Watch(context.Background(), "/pods/", storage.WatchOptions{After: first.Revision})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Close)
		ws = append(ws, w)
	}
	return c, source, ws
}

func next(t *testing.T, w storage.Watcher) storage.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	events, err := w.Next(ctx)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v; want one", len(events), err)
	}
	return events[0]
}

// However many ask for an encoding of an event, and at once, it is made once. Another key is
// another encoding, and an error is none.
func TestAnEncodingIsMadeOnce(t *testing.T) {
	_, source, ws := watched(t, 100, cacher.Config{})
	for round := range 20 {
		update(t, source, "/pods/a", fmt.Append(nil, round))
		var made [3]atomic.Int64
		var wg sync.WaitGroup
		for i, w := range ws {
			wg.Go(func() {
				encodings := next(t, w).Encodings
				if _, err := encodings.Keep("fails", func() ([]byte, error) { return nil, errors.New("no") }); err == nil {
					t.Error("an error is kept as an encoding")
				}
				for n := range made {
					key := (n + i) % len(made)
					got, err := encodings.Keep(key, func() ([]byte, error) {
						made[key].Add(1)
						return fmt.Append(nil, key, round), nil
					})
					if want := fmt.Sprint(key, round); err != nil || string(got) != want {
						t.Errorf("encoding %s, %v; want %s", got, err, want)
					}
				}
			})
		}
		wg.Wait()
		for key := range made {
			if n := made[key].Load(); n != 1 {
				t.Errorf("encoding %d was made %d times", key, n)
			}
		}
	}
}

// An encoding that nobody else will ask for is not kept.
func TestOneWatcherKeepsNothing(t *testing.T) {
	_, source, ws := watched(t, 1, cacher.Config{})
	update(t, source, "/pods/a", []byte("1"))
	if encodings := next(t, ws[0]).Encodings; encodings != nil {
		t.Error("there is a place for encodings")
	}
}

// Encodings count in the bytes of the log, and there are never more. The newest event always has
// room for some, at the cost of older ones: no event goes for an encoding.
func TestEncodingsAreWithinTheBytesOfTheLog(t *testing.T) {
	const most, each = 100 << 10, 1 << 10
	c, source, ws := watched(t, 2, cacher.Config{LogBytes: most})
	encoding := make([]byte, 2<<10)
	var events []storage.Event
	keep := func(key any, ev storage.Event) (made bool) {
		if _, err := ev.Encodings.Keep(key, func() ([]byte, error) { made = true; return encoding, nil }); err != nil {
			t.Fatal(err)
		}
		return made
	}
	value := func(i int) []byte { return fmt.Appendf(make([]byte, each), "%d", i) }
	grew := 0
	for i := range 200 {
		update(t, source, "/pods/a", value(i))
		ev := next(t, ws[0])
		events = append(events, ev)
		before := c.Stats().EventBytes
		for key := range 3 {
			if !keep(key, ev) {
				t.Fatalf("event %d has an encoding that nobody made", i)
			}
		}
		s := c.Stats()
		if s.EventBytes > most {
			t.Fatalf("the log has %d bytes", s.EventBytes)
		}
		if s.EventBytes >= before+len(encoding) {
			grew++
		}
	}
	if grew < 190 { // while the log is trimmed, some take the place of older ones
		t.Errorf("encodings of %d events are counted, of 200", grew)
	}
	if s := c.Stats(); s.Events < 60 || s.Early == 0 {
		t.Errorf("the log has %d events, and %d had to go: want it to be full of events", s.Events, s.Early)
	}
	if newest := events[199]; keep(0, newest) {
		t.Error("the newest event has lost its encoding")
	}
	if first, again := keep(0, events[180]), keep(0, events[180]); !first || !again {
		t.Error("an old event has its encodings still, where there is no room for them")
	}
}

// Encodings go with the event, also while somebody holds it.
func TestEncodingsGoWithTheirEvent(t *testing.T) {
	c, source, ws := watched(t, 2, cacher.Config{LogBytes: 100 << 10})
	update(t, source, "/pods/a", []byte("1"))
	held := next(t, ws[0])
	keep := func() (made bool) {
		if _, err := held.Encodings.Keep("a", func() ([]byte, error) { made = true; return make([]byte, 1000), nil }); err != nil {
			t.Fatal(err)
		}
		return made
	}
	if !keep() {
		t.Fatal("the event has an encoding that nobody made")
	}
	for range 200 {
		update(t, source, "/pods/a", bytes.Repeat([]byte("x"), 2000))
		update(t, source, "/pods/a", bytes.Repeat([]byte("y"), 2000))
	}
	await(t, "the event is in the log no more", func() bool { return c.Stats().OldestLog > held.Entry.Revision })
	if first, again := keep(), keep(); !first || !again {
		t.Error("the encoding is still there")
	}
	if s := c.Stats(); s.EventBytes > 100<<10 {
		t.Errorf("the log has %d bytes", s.EventBytes)
	}
}
