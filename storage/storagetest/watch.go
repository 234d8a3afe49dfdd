package storagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
)

var watchTests = append([]namedTest{
	{"without Prev there are the same events", func(e *env) {
		after := e.revision()
		want := e.history()
		w, err := e.s.Watch(e.ctx, "/pods/", storage.WatchOptions{After: after})
		if err != nil {
			e.Fatal(err)
		}
		defer w.Close()
		for i, got := range e.next(w, len(want)) {
			if got.Prev.Revision == 0 {
				want[i].Prev = storage.Entry{} // it may be there anyway
				if got.Type == storage.Deleted {
					want[i].Entry.Value = got.Entry.Value
				}
			}
			if diff := cmp.Diff(want[i], got); diff != "" {
				e.Fatalf("wrong event %d (-want +got)\n%s", i, diff)
			}
		}
	}},
	{"every change with what was before", func(e *env) {
		w := e.watch("/pods/", e.revision())
		a1 := e.create("/pods/ns/a", "1")
		a2 := e.update("/pods/ns/a", "2")
		gone := e.delete("/pods/ns/a")
		a3 := e.create("/pods/ns/a", "3")
		e.wantEvents(w, []storage.Event{
			{Type: storage.Created, Entry: a1},
			{Type: storage.Modified, Entry: a2, Prev: a1},
			{Type: storage.Deleted, Entry: gone, Prev: a2},
			{Type: storage.Created, Entry: a3},
		})
	}},
	{"from every revision of the past", func(e *env) {
		start := e.revision()
		want := e.history()
		for i := 0; i <= len(want); i++ {
			after := start
			if i > 0 {
				after = want[i-1].Entry.Revision
			}
			e.wantEvents(e.watch("/pods/", after), want[i:])
		}
	}},
	{"a revision of another prefix is as good", func(e *env) {
		e.create("/pods/ns/a", "1")
		other := e.create("/secrets/ns/a", "1")
		w := e.watch("/pods/", other.Revision)
		b := e.create("/pods/ns/b", "1")
		e.wantEvents(w, []storage.Event{{Type: storage.Created, Entry: b}})
	}},
	{"neighbours with a like name stay out", func(e *env) {
		w := e.watch("/pods/ns/", e.revision())
		for _, k := range []string{"/pods/ns", "/pods/ns2/b", "/pods/n/c", "/pods/ns.x/d", "/pods2/ns/e", "/pod/ns/f"} {
			e.create(k, "x")
			e.update(k, "y")
			e.delete(k)
		}
		a := e.create("/pods/ns/a", "x")
		e.wantEvents(w, []storage.Event{{Type: storage.Created, Entry: a}})
	}},
	{"no write, no event", func(e *env) {
		e.create("/pods/ns/a", "1")
		w := e.watch("/pods/", e.revision())
		e.update("/pods/ns/a", "1")
		_, err := e.s.Create(e.ctx, "/pods/ns/a", []byte("2"))
		e.wantCode(err, storage.CodeExists, "/pods/ns/a")
		_, err = e.s.Delete(e.ctx, "/pods/ns/b", nil)
		e.wantCode(err, storage.CodeNotFound, "/pods/ns/b")
		b := e.create("/pods/ns/b", "1")
		e.wantEvents(w, []storage.Event{{Type: storage.Created, Entry: b}})
	}},
	{"foreign writes are seen", func(e *env) {
		w := e.watch("/pods/", e.revision())
		one := e.Put("/pods/ns/a", []byte("1"))
		two := e.Put("/pods/ns/a", []byte("2"))
		e.wantEvents(w, []storage.Event{
			{Type: storage.Created, Entry: entry("/pods/ns/a", "1", one)},
			{Type: storage.Modified, Entry: entry("/pods/ns/a", "2", two), Prev: entry("/pods/ns/a", "1", one)},
		})
	}},
	{"a future revision skips what comes before it", func(e *env) {
		now := e.revision()
		w := e.watch("/pods/", now+2)
		e.create("/pods/ns/a", "1")
		e.create("/pods/ns/b", "1")
		c := e.create("/pods/ns/c", "1")
		e.wantEvents(w, []storage.Event{{Type: storage.Created, Entry: c}})
	}},
	{"a watch wants a positive revision", func(e *env) {
		for _, after := range []int64{0, -1} {
			if w, err := e.s.Watch(e.ctx, "/pods/", storage.WatchOptions{After: after}); err == nil {
				w.Close()
				e.Fatalf("a watch after %d was opened", after)
			}
		}
	}},
	{"a compacted revision is said to be so", func(e *env) {
		start := e.revision()
		first := e.create("/pods/ns/a", "0")
		for i := range 5 {
			e.update("/pods/ns/a", fmt.Sprint(i+1))
		}
		now := e.update("/pods/ns/a", "last")
		e.Compact(now.Revision)
		for _, after := range []int64{start, first.Revision, first.Revision + 1} {
			e.wantCompacted(after, now)
		}
		// From a list, as readers do: a cache that the compaction has overtaken must be past it
		// before it can follow.
		w := e.watch("/pods/", e.list("/pods/", storage.ListOptions{}).Revision)
		b := e.create("/pods/ns/b", "1")
		e.wantEvents(w, []storage.Event{{Type: storage.Created, Entry: b}})
		if e.Remembers {
			return
		}
		e.wantEvents(e.watch("/pods/", now.Revision), []storage.Event{{Type: storage.Created, Entry: b}})
	}},
	{"a compacted revision, and from where a watch can begin", func(e *env) {
		first := e.create("/pods/ns/a", "0")
		middle := e.update("/pods/ns/a", "1")
		e.Compact(e.update("/pods/ns/a", "2").Revision)
		last := e.update("/pods/ns/a", "3")
		for _, opts := range []storage.WatchOptions{{After: first.Revision}, {After: first.Revision, Prev: true, Progress: true}} {
			w, err := e.s.Watch(e.ctx, "/pods/", opts)
			if err == nil {
				defer w.Close()
				if _, err = w.Next(e.ctx); err == nil && e.Remembers {
					continue
				}
			}
			e.wantCode(err, storage.CodeCompacted, "/pods/")
			var se *storage.Error
			if errors.As(err, &se); se.Revision != first.Revision || se.Oldest < middle.Revision || se.Oldest > last.Revision {
				e.Fatalf("got %+v, asked for %d, want an oldest revision from %d to %d", se, first.Revision, middle.Revision, last.Revision)
			}
			from := e.watch("/pods/", se.Oldest)
			for at := se.Oldest; at < last.Revision; {
				at = e.next(from, 1)[0].Entry.Revision
			}
		}
	}},
	{"a deletion at the compacted revision is not lost", func(e *env) {
		a := e.create("/pods/ns/a", "1")
		gone := e.delete("/pods/ns/a")
		e.Compact(gone.Revision)
		w, err := e.s.Watch(e.ctx, "/pods/", storage.WatchOptions{After: a.Revision})
		if err != nil {
			e.wantCode(err, storage.CodeCompacted, "/pods/")
			return
		}
		defer w.Close()
		events, err := w.Next(e.ctx)
		if err != nil {
			e.wantCode(err, storage.CodeCompacted, "/pods/")
			return
		}
		if len(events) != 1 || events[0].Type != storage.Deleted {
			e.Fatalf("got %+v", events)
		}
	}},
}, watchLifeTests...)

// wantCompacted opens a watch after a revision before the compaction. Only a store that remembers
// may give events, and then all of them.
func (e *env) wantCompacted(after int64, last storage.Entry) {
	e.Helper()
	w, err := e.s.Watch(e.ctx, "/pods/", storage.WatchOptions{After: after})
	if err != nil {
		e.wantCode(err, storage.CodeCompacted, "/pods/")
		return
	}
	defer w.Close()
	_, err = w.Next(e.ctx)
	if err == nil && e.Remembers {
		return
	}
	e.wantCode(err, storage.CodeCompacted, "/pods/")
	if _, again := w.Next(e.ctx); again != err {
		e.Fatalf("second error is %v, want the first one: %v", again, err)
	}
}

// history makes a good number of changes and returns their events.
func (e *env) history() []storage.Event {
	var events []storage.Event
	last := map[string]storage.Entry{}
	for i := range 24 {
		key := fmt.Sprintf("/pods/ns/%d", i%5)
		prev, there := last[key]
		switch {
		case !there:
			last[key] = e.create(key, fmt.Sprint(i))
			events = append(events, storage.Event{Type: storage.Created, Entry: last[key]})
		case i%3 == 0:
			delete(last, key)
			events = append(events, storage.Event{Type: storage.Deleted, Entry: e.delete(key), Prev: prev})
		default:
			last[key] = e.update(key, fmt.Sprint(i))
			events = append(events, storage.Event{Type: storage.Modified, Entry: last[key], Prev: prev})
		}
	}
	return events
}

func (e *env) watch(prefix string, after int64) storage.Watcher {
	e.Helper()
	return e.open(prefix, storage.WatchOptions{After: after})
}

func (e *env) open(prefix string, opts storage.WatchOptions) storage.Watcher {
	e.Helper()
	opts.Prev = true
	w, err := e.s.Watch(e.ctx, prefix, opts)
	if err != nil {
		e.Fatalf("watch %s %+v: %v", prefix, opts, err)
	}
	e.Cleanup(w.Close)
	return w
}

// next returns the next n events.
func (e *env) next(w storage.Watcher, n int) []storage.Event {
	e.Helper()
	var got []storage.Event
	for len(got) < n {
		ctx, cancel := context.WithTimeout(e.ctx, hangs)
		events, err := w.Next(ctx)
		cancel()
		if err != nil {
			e.Fatalf("after %d of %d events: %v", len(got), n, err)
		}
		if len(events) == 0 {
			e.Fatal("Next returned no event and no error")
		}
		got = append(got, bare(events)...)
	}
	return got
}

// bare is events without what a store keeps for itself.
func bare(events []storage.Event) []storage.Event {
	events = slices.Clone(events)
	for i := range events {
		events[i].Encodings = nil
	}
	return events
}

// wantEvents reads as many events as are wanted, compares them, and sees that no other comes at
// once.
func (e *env) wantEvents(w storage.Watcher, want []storage.Event) {
	e.Helper()
	got := e.next(w, len(want))
	if diff := cmp.Diff(want, got, cmp.Transformer("error", func(err error) string { return fmt.Sprint(err) })); len(want) > 0 && diff != "" {
		e.Fatalf("wrong events (-want +got)\n%s", diff)
	}
	e.quiet(w)
}

// quiet sees that nothing comes for a moment. It ends the watch.
func (e *env) quiet(w storage.Watcher) {
	e.Helper()
	wait := 20 * time.Millisecond
	if testing.Short() {
		wait = 5 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(e.ctx, wait)
	defer cancel()
	if events, err := w.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		e.Fatalf("got %+v, %v; want nothing more", events, err)
	}
}
