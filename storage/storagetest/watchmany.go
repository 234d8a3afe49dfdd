package storagetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
)

// manyWatchers lets several writers and watchers run together. Each watcher must rebuild the final
// state, every event must carry what the watcher saw before as Prev, and revisions must never go
// back.
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
				seen = append(seen, bare(events)...)
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
	time.AfterFunc(hangs, cancel)
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
			state[x.Key] = *x
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
			if diff := cmp.Diff(*x, state[x.Key]); diff != "" {
				e.Fatalf("client from %d (-store +client)\n%s", c.page.Revision, diff)
			}
		}
	}
}
