package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
)

// watchLifeTests are about many watchers, slow ones, quiet ones, and how a watch ends.
var watchLifeTests = []namedTest{
	{"all watchers see the same in the same order", manyWatchers},
	{"a list and a watch leave no gap", listAndWatch},
	{"a slow watcher delays nobody and misses nothing", func(e *env) {
		after := e.revision()
		slow, quick := e.watch("/pods/", after), e.watch("/pods/", after)
		const n = 400
		value := string(bytes.Repeat([]byte("x"), 8<<10))
		want := make([]int64, 0, n)
		e.create("/pods/ns/a", "first")
		want = append(want, e.next(quick, 1)[0].Entry.Revision)
		for i := 1; i < n; i++ {
			want = append(want, e.Put("/pods/ns/a", fmt.Appendf(nil, "%d%s", i, value)))
			if i%50 == 0 {
				e.next(quick, 50)
			}
		}
		var got []int64
		for _, ev := range e.next(slow, n) {
			got = append(got, ev.Entry.Revision)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			e.Fatalf("slow watcher (-want +got)\n%s", diff)
		}
	}},
	{"a quiet watch gets bookmarks", func(e *env) {
		after := e.revision()
		w := e.open("/pods/", storage.WatchOptions{After: after, Progress: true})
		a := e.create("/pods/ns/a", "1")
		other := e.create("/secrets/ns/a", "1")
		var last int64
		deadline := time.Now().Add(2*e.ProgressWithin + 2*time.Second)
		for last < other.Revision {
			if time.Now().After(deadline) {
				e.Fatalf("no bookmark reached %d; the last event or bookmark was at %d", other.Revision, last)
			}
			for _, ev := range e.next(w, 1) {
				if ev.Entry.Revision < last || ev.Type == storage.Bookmark && ev.Entry.Revision <= after {
					e.Fatalf("event %+v after revision %d", ev, last)
				}
				if ev.Type == storage.Bookmark {
					if last < a.Revision && ev.Entry.Revision >= a.Revision {
						e.Fatalf("bookmark at %d before the event at %d", ev.Entry.Revision, a.Revision)
					}
					if diff := cmp.Diff(storage.Event{Type: storage.Bookmark, Entry: storage.Entry{Revision: ev.Entry.Revision}}, ev); diff != "" {
						e.Fatalf("a bookmark has nothing but a revision:\n%s", diff)
					}
				}
				last = ev.Entry.Revision
			}
		}
		e.wantEvents(e.watch("/pods/", last), nil)
		b := e.create("/pods/ns/b", "1")
		for {
			ev := e.next(w, 1)[0]
			if ev.Entry.Revision <= last {
				e.Fatalf("event %+v after a bookmark at %d", ev, last)
			}
			if last = ev.Entry.Revision; ev.Type == storage.Created && ev.Entry.Key == b.Key {
				return
			}
		}
	}},
	{"a watch without progress gets no bookmarks", func(e *env) {
		w := e.watch("/pods/", e.revision())
		e.create("/secrets/ns/a", "1")
		ctx, cancel := context.WithTimeout(e.ctx, min(2*e.ProgressWithin, 500*time.Millisecond))
		defer cancel()
		if events, err := w.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			e.Fatalf("got %+v, %v; want nothing", events, err)
		}
	}},
	{"close ends a waiting Next", func(e *env) {
		w := e.watch("/pods/", e.revision())
		got := make(chan error, 1)
		go func() {
			_, err := w.Next(e.ctx)
			got <- err
		}()
		time.Sleep(20 * time.Millisecond)
		w.Close()
		w.Close()
		select {
		case err := <-got:
			if !errors.Is(err, storage.ErrClosed) {
				e.Fatalf("got %v, want ErrClosed", err)
			}
		case <-time.After(5 * time.Second):
			e.Fatal("Next still waits")
		}
		if _, err := w.Next(e.ctx); !errors.Is(err, storage.ErrClosed) {
			e.Fatalf("then got %v, want ErrClosed", err)
		}
	}},
	{"a context ends a waiting Next for good", func(e *env) {
		w := e.watch("/pods/", e.revision())
		ctx, cancel := context.WithCancel(e.ctx)
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err := w.Next(ctx); !errors.Is(err, context.Canceled) {
			e.Fatalf("got %v, want context.Canceled", err)
		}
		e.create("/pods/ns/a", "1")
		if _, err := w.Next(e.ctx); !errors.Is(err, context.Canceled) {
			e.Fatalf("then got %v, want context.Canceled again", err)
		}
	}},
	{"the context of the opening does not end the watch", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		w, err := e.s.Watch(ctx, "/pods/", storage.WatchOptions{After: e.revision()})
		if err != nil {
			e.Fatal(err)
		}
		defer w.Close()
		cancel()
		a := e.create("/pods/ns/a", "1")
		e.wantEvents(w, []storage.Event{{Type: storage.Created, Entry: a}})
	}},
	{"opening and closing many at once", func(e *env) {
		after := e.revision()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for j := range 10 {
					w, err := e.s.Watch(e.ctx, "/pods/", storage.WatchOptions{After: after, Progress: i%2 == 0})
					if err != nil {
						e.Errorf("watch: %v", err)
						return
					}
					if j%2 == 0 {
						ctx, cancel := context.WithTimeout(e.ctx, time.Millisecond)
						_, _ = w.Next(ctx)
						cancel()
					}
					w.Close()
				}
			})
		}
		wg.Wait()
		w := e.watch("/pods/", after)
		a := e.create("/pods/ns/a", "1")
		e.wantEvents(w, []storage.Event{{Type: storage.Created, Entry: a}})
	}},
}

// manyWatchers lets several writers and watchers run together; each watcher must rebuild the final state, every
// event must carry what the watcher saw before as Prev, and revisions must never go back.
func manyWatchers(e *env) {
	const writers, each, watchers = 4, 40, 4
	after := e.revision()
	total := int64(0)
	ends := make(chan int64, writers)
	for n := range writers {
		go func() {
			made := int64(0)
			for i := range each {
				key := fmt.Sprintf("/pods/ns/%d-%d", n, i%4)
				err := error(nil)
				switch {
				case i%8 < 4:
					_, err = e.s.Create(e.ctx, key, fmt.Appendf(nil, "%d", i))
				default:
					_, err = e.s.GuaranteedUpdate(e.ctx, key, set(fmt.Sprint(i)))
					if err == nil {
						made++
						_, err = e.s.Delete(e.ctx, key, nil)
					}
				}
				if err != nil {
					e.Errorf("writer %d, step %d: %v", n, i, err)
				}
				made++
			}
			ends <- made
		}()
	}
	logs := make(chan []storage.Event, watchers)
	stop, cancel := context.WithCancel(e.ctx)
	defer cancel()
	var wg sync.WaitGroup
	for range watchers {
		w := e.watch("/pods/", after)
		wg.Go(func() {
			var seen []storage.Event
			for {
				events, err := w.Next(stop)
				if err != nil {
					break
				}
				seen = append(seen, events...)
				if len(seen) == writers*(each+each/2) {
					break
				}
			}
			logs <- seen
		})
	}
	for range writers {
		total += <-ends
	}
	time.AfterFunc(10*time.Second, cancel)
	wg.Wait()
	var first []storage.Event
	for range watchers {
		seen := <-logs
		if int64(len(seen)) != total {
			e.Fatalf("a watcher saw %d changes of %d", len(seen), total)
		}
		e.replay(nil, after, seen)
		if first == nil {
			first = seen
		} else if diff := cmp.Diff(first, seen); diff != "" {
			e.Fatalf("two watchers differ:\n%s", diff)
		}
	}
}

// replay applies events to state and returns it; it checks order, types and Prev on the way.
func (e *env) replay(state map[string]storage.Entry, after int64, events []storage.Event) map[string]storage.Entry {
	e.Helper()
	if state == nil {
		state = map[string]storage.Entry{}
	}
	for _, ev := range events {
		if ev.Entry.Revision <= after {
			e.Fatalf("event %+v after revision %d", ev, after)
		}
		after = ev.Entry.Revision
		prev, there := state[ev.Entry.Key]
		if there != (ev.Type != storage.Created) {
			e.Fatalf("event %+v, though there: %v", ev, there)
		}
		if diff := cmp.Diff(prev, ev.Prev); diff != "" {
			e.Fatalf("wrong Prev in %+v:\n%s", ev, diff)
		}
		if ev.Type == storage.Deleted {
			delete(state, ev.Entry.Key)
		} else {
			state[ev.Entry.Key] = ev.Entry
		}
	}
	return state
}

// listAndWatch does what every client does, at many moments while others write.
func listAndWatch(e *env) {
	const n = 60
	done := make(chan int64)
	go func() {
		last := int64(0)
		for i := range n {
			key := fmt.Sprintf("/pods/ns/%d", i%7)
			entry, err := e.s.Create(e.ctx, key, fmt.Appendf(nil, "%d", i))
			if storage.CodeOf(err) == storage.CodeExists {
				entry, err = e.s.Delete(e.ctx, key, nil)
			}
			if err != nil {
				e.Errorf("step %d: %v", i, err)
			}
			last = entry.Revision
		}
		done <- last
	}()
	type client struct {
		page storage.Page
		w    storage.Watcher
	}
	var clients []client
	var end int64
	for end == 0 {
		page := e.list("/pods/", storage.ListOptions{})
		clients = append(clients, client{page, e.watch("/pods/", page.Revision)})
		select {
		case end = <-done:
		case <-time.After(2 * time.Millisecond):
		}
	}
	final := e.list("/pods/", storage.ListOptions{})
	for _, c := range clients {
		state := map[string]storage.Entry{}
		for _, x := range c.page.Entries {
			state[x.Key] = x
		}
		for at := c.page.Revision; at < end; {
			events := e.next(c.w, 1)
			state = e.replay(state, at, events)
			at = events[len(events)-1].Entry.Revision
		}
		if len(state) != len(final.Entries) {
			e.Fatalf("client from %d has %d entries, the store %d", c.page.Revision, len(state), len(final.Entries))
		}
		for _, x := range final.Entries {
			if diff := cmp.Diff(x, state[x.Key]); diff != "" {
				e.Fatalf("client from %d (-store +client)\n%s", c.page.Revision, diff)
			}
		}
	}
}
