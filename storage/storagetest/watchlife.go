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
		deadline := time.Now().Add(2*e.ProgressWithin + hangs)
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
		case <-time.After(hangs):
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
