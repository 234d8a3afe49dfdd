package cacher_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// freeze makes the source's watches say nothing, or has them go on.
func (f *faulty) freeze(frozen bool) {
	f.mute.Store(frozen)
	f.frozen.Store(frozen)
}

// TestALateCache: where the watch says nothing for longer than a reader may wait, the source
// answers what costs it little, at once from then on. Nobody sees an older state afterwards. The
// rest hears why there is no answer.
func TestALateCache(t *testing.T) {
	f := newFaulty()
	c := start(t, cacher.Config{Source: f, Wait: 50 * time.Millisecond})
	ctx := t.Context()
	f.freeze(true)
	before := c.Stats().Revision
	made, err := f.Create(ctx, "/pods/ns/a", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	attribute := &storage.Where{Attribute: "size", Value: "1", Read: func(storage.Entry) (string, bool, error) { return "1", true, nil }}
	for name, opts := range map[string]storage.ListOptions{"the newest": {}, "by attribute": {Limit: 5, Where: attribute}, "of any size": {Limit: 1001}} {
		if _, err := c.List(ctx, "/pods/", opts); storage.CodeOf(err) != storage.CodeUnavailable {
			t.Errorf("a list, %s: %v", name, err)
		}
	}
	_, err = c.List(ctx, "/pods/", storage.ListOptions{Match: storage.NotOlderThan, Revision: made.Revision})
	var e *storage.Error
	if !errors.As(err, &e) || e.Code != storage.CodeFuture || e.Revision != made.Revision || e.Current < before || e.Current >= made.Revision {
		t.Errorf("a list, not older than %d: %v", made.Revision, err)
	}
	for _, opts := range []storage.GetOptions{{}, {NotOlderThan: made.Revision}, {Any: true}} {
		if got, err := c.Get(ctx, "/pods/ns/a", opts); err != nil || got.Revision != made.Revision {
			t.Errorf("get, %+v: %+v, %v", opts, got, err)
		}
	}
	for name, opts := range map[string]storage.ListOptions{
		"newest": {}, "not older": {Match: storage.NotOlderThan, Revision: made.Revision},
		"exact": {Match: storage.Exact, Revision: made.Revision}, "any": {Match: storage.Any},
	} {
		opts.Limit = 5
		if page, err := c.List(ctx, "/pods/", opts); err != nil || len(page.Entries) != 1 || page.Revision != made.Revision {
			t.Errorf("page, %s: %+v, %v", name, page, err)
		}
	}
	if n, err := c.Count(ctx, "/pods/"); err != nil || n != 1 {
		t.Errorf("%d entries, %v", n, err)
	}
	if _, err := c.Get(ctx, "/pods/ns/a", storage.GetOptions{NotOlderThan: made.Revision + 9}); storage.CodeOf(err) != storage.CodeFuture {
		t.Errorf("a revision that is nowhere: %v", err)
	}
	if s := c.Stats(); s.Late != 1 || s.Passed < 7 {
		t.Errorf("late %d times, %d reads passed on", s.Late, s.Passed)
	}
	w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: made.Revision})
	if err != nil {
		t.Fatalf("a watch from where the source is: %v", err)
	}
	defer w.Close()
	f.freeze(false)
	await(t, "the cache catches up", func() bool { return c.Stats().Revision >= made.Revision })
	passed := c.Stats().Passed
	if page, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil || len(page.Entries) != 1 {
		t.Errorf("a list, afterwards: %+v, %v", page, err)
	}
	if n := c.Stats().Passed; n != passed {
		t.Errorf("the source answers although the cache is there: %d reads, then %d", passed, n)
	}
	next, err := c.Create(ctx, "/pods/ns/b", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if events, err := w.Next(ctx); err != nil || len(events) != 1 || events[0].Entry.Revision != next.Revision {
		t.Errorf("the watch: %+v, %v; want revision %d alone", events, err, next.Revision)
	}
}

// TestReadersOfALateCacheSeeTimeGoForward: the watch stops and goes on at random. Each read of the
// newest state sees all that was written before it. No reader sees a counter go back, however it
// asks.
func TestReadersOfALateCacheSeeTimeGoForward(t *testing.T) {
	t.Parallel()
	f := newFaulty()
	c := start(t, cacher.Config{Source: f, Wait: 5 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const key = "/pods/ns/a"
	if _, err := c.Create(ctx, key, []byte("0")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, key, storage.GetOptions{}); err != nil { // all see it from now on
		t.Fatal(err)
	}
	var written atomic.Int64
	var all sync.WaitGroup
	all.Go(func() {
		for n := 1; ctx.Err() == nil; n++ {
			if _, err := c.GuaranteedUpdate(context.Background(), key, func(storage.Entry) ([]byte, []storage.Op, error) {
				return fmt.Append(nil, n), nil, nil
			}); err != nil {
				t.Errorf("update %d: %v", n, err)
				return
			}
			written.Store(int64(n))
			time.Sleep(rand.N(time.Millisecond))
		}
	})
	all.Go(func() {
		for ctx.Err() == nil {
			f.freeze(rand.N(3) > 0)
			time.Sleep(rand.N(30 * time.Millisecond))
		}
		f.freeze(false)
	})
	var reads atomic.Int64
	for range 4 {
		all.Go(func() {
			for seen := int64(0); ctx.Err() == nil; reads.Add(1) {
				way, floor := rand.N(len(waysToRead)), written.Load()
				n, err := waysToRead[way](c)
				if err != nil {
					t.Errorf("read %d: %v", way, err)
					return
				}
				if way < newestWays && n < floor || n < seen {
					t.Errorf("read %d: %d, after %d was written and %d was seen", way, n, floor, seen)
					return
				}
				seen = n
			}
		})
	}
	await(t, "the cache is late ten times", func() bool { return c.Stats().Late >= 10 || t.Failed() })
	cancel()
	all.Wait()
	if s := c.Stats(); s.Passed == 0 || s.Passed >= reads.Load() {
		t.Errorf("%d of %d reads were answered by the source", s.Passed, reads.Load())
	}
}

// newestWays is how many of waysToRead ask for the newest state.
const newestWays = 2

// waysToRead read the number that is stored.
var waysToRead = []func(*cacher.Cacher) (int64, error){
	func(c *cacher.Cacher) (int64, error) { return number(c.Get(bg, "/pods/ns/a", storage.GetOptions{})) },
	func(c *cacher.Cacher) (int64, error) {
		return firstNumber(c.List(bg, "/pods/", storage.ListOptions{Limit: 5}))
	},
	func(c *cacher.Cacher) (int64, error) {
		return number(c.Get(bg, "/pods/ns/a", storage.GetOptions{Any: true}))
	},
	func(c *cacher.Cacher) (int64, error) {
		return firstNumber(c.List(bg, "/pods/", storage.ListOptions{Limit: 5, Match: storage.Any}))
	},
}

var bg = context.Background()

func number(e storage.Entry, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(e.Value), 10, 64)
}

func firstNumber(page storage.Page, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return number(*page.Entries[0], nil)
}
