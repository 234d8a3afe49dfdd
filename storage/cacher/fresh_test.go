package cacher_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

func TestWaitersShareOneRevision(t *testing.T) {
	const readers, most = 200, 20
	n := requestsOf(t, readers)
	for try := 1; n > most && try < 10; try++ { // most readers may have got to it only when the first one was through
		n = requestsOf(t, readers)
	}
	if n > most {
		t.Errorf("%d readers made %d requests", readers, n)
	}
}

// requestsOf says how many requests for the revision readers make that come at the same time.
func requestsOf(t *testing.T, readers int) int64 {
	t.Helper()
	f := newFaulty()
	c := start(t, cacher.Config{Source: f})
	var wg sync.WaitGroup
	before := f.revisions.Load()
	gate, asking := make(chan struct{}), atomic.Int64{}
	f.gate.Store(&gate)
	for range readers {
		wg.Go(func() {
			asking.Add(1)
			if _, err := c.List(context.Background(), "/pods/", storage.ListOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	for asking.Load() < int64(readers) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(quick) // so that all but a few are in the line
	f.gate.Store(nil)
	close(gate)
	wg.Wait()
	return f.revisions.Load() - before
}

func TestNobodySharesARequestThatIsAlreadyOnItsWay(t *testing.T) {
	f := newFaulty()
	c := start(t, cacher.Config{Source: f})
	gate := make(chan struct{})
	f.gate.Store(&gate)
	before := f.revisions.Load()
	first, second := make(chan int64), make(chan int64)
	ask := func(to chan int64) {
		r, err := c.Revision(context.Background())
		if err != nil {
			t.Error(err)
		}
		to <- r
	}
	go ask(first)
	for f.revisions.Load() == before {
		time.Sleep(time.Millisecond)
	}
	// The request is on its way with an answer from before this write.
	made, err := f.Create(context.Background(), "/pods/ns/a", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	go ask(second)
	time.Sleep(quick)
	f.gate.Store(nil)
	close(gate)
	if r := <-first; r >= made.Revision {
		t.Errorf("the first request was not on its way: it says %d", r)
	}
	if r := <-second; r < made.Revision {
		t.Errorf("revision %d after a write at %d", r, made.Revision)
	}
}

// Nobody reads, and nothing happens below the prefix: what happens elsewhere takes the cache along
// anyway, and those who watch it. Else a compaction would take away what it goes on from.
func TestAQuietCacheKeepsUp(t *testing.T) {
	db := memory.NewDatabase()
	c := start(t, cacher.Config{Source: memory.New(memory.Config{Database: db, ProgressInterval: time.Hour})})
	w, err := c.Watch(t.Context(), "/pods/", storage.WatchOptions{After: c.Stats().Revision, Progress: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 3 {
		elsewhere := db.Put("/secrets/a", []byte("x"))
		await(t, "the cache hears of what happens elsewhere", func() bool { return c.Stats().Revision >= elsewhere })
		events, err := w.Next(t.Context())
		if err != nil || len(events) != 1 || events[0].Type != storage.Bookmark || events[0].Entry.Revision != elsewhere {
			t.Fatalf("got %+v, %v; want a bookmark at %d", events, err, elsewhere)
		}
	}
}

// slowToList is a source whose full lists of a prefix wait.
type slowToList struct {
	*memory.Store
	gate chan struct{}
}

func (s *slowToList) List(ctx context.Context, prefix string, opts storage.ListOptions) (storage.Page, error) {
	if opts.Limit == 0 && storage.IsPrefix(prefix) {
		select {
		case <-s.gate:
		case <-ctx.Done():
			return storage.Page{}, ctx.Err()
		}
	}
	return s.Store.List(ctx, prefix, opts)
}

// Until the cache is filled, what costs the source little is answered by it, and the rest is put
// off.
func TestNotFilledYet(t *testing.T) {
	source := &slowToList{Store: memory.New(memory.Config{ProgressInterval: quick}), gate: make(chan struct{})}
	c, err := cacher.New(cacher.Config{Source: source, Prefix: "/pods/", Wait: quick})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	made, err := c.Create(ctx, "/pods/ns/a", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if page, err := c.List(ctx, made.Key, storage.ListOptions{}); err != nil || len(page.Entries) != 1 {
		t.Errorf("one key: %+v, %v", page, err)
	}
	if n, err := c.Count(ctx, "/pods/"); err != nil || n != 1 {
		t.Errorf("%d entries, %v", n, err)
	}
	if got, err := c.Get(ctx, made.Key, storage.GetOptions{}); err != nil || got.Revision != made.Revision {
		t.Errorf("get: %+v, %v", got, err)
	}
	if page, err := c.List(ctx, "/pods/", storage.ListOptions{Limit: 5}); err != nil || len(page.Entries) != 1 {
		t.Errorf("list of a few: %+v, %v", page, err)
	}
	if _, err := c.List(ctx, "/pods/", storage.ListOptions{}); storage.CodeOf(err) != storage.CodeNotReady {
		t.Errorf("list of all: %v", err)
	}
	if _, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: made.Revision}); storage.CodeOf(err) != storage.CodeNotReady {
		t.Errorf("watch: %v", err)
	}
	close(source.gate)
	if err := c.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	if page, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil || len(page.Entries) != 1 {
		t.Errorf("list of all, afterwards: %+v, %v", page, err)
	}
}
