package cacher_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// faulty is a source whose watches end with an error now and then.
type faulty struct {
	storage.Interface // of now
	now               atomic.Pointer[memory.Store]
	every             time.Duration // how long a watch lives; 0: for ever
	with              error
	mute              atomic.Bool                   // requests for progress do nothing
	frozen            atomic.Bool                   // watches deliver nothing
	gate              atomic.Pointer[chan struct{}] // where requests for the revision wait with their answer
	opening           atomic.Pointer[chan struct{}] // where new watches wait
	watches           atomic.Int64
	lists             atomic.Int64
	revisions         atomic.Int64
	form              storage.Form
}

func (f *faulty) RequestProgress(ctx context.Context) error {
	if f.mute.Load() {
		return nil
	}
	return f.now.Load().RequestProgress(ctx)
}

func (f *faulty) EachRevision(ctx context.Context, prefix string, revision int64, visit func(string, int64)) error {
	return f.now.Load().EachRevision(ctx, prefix, revision, visit)
}

func (f *faulty) UpdateKnown(ctx context.Context, known storage.Entry, try storage.TryUpdate) (storage.Entry, error) {
	return f.now.Load().UpdateKnown(ctx, known, try)
}

func (f *faulty) DeleteKnown(ctx context.Context, known storage.Entry, check storage.CheckDelete) (storage.Entry, error) {
	return f.now.Load().DeleteKnown(ctx, known, check)
}

func (f *faulty) Revision(ctx context.Context) (int64, error) {
	r, err := f.now.Load().Revision(ctx)
	f.revisions.Add(1)
	if gate := f.gate.Load(); gate != nil {
		<-*gate
	}
	time.Sleep(time.Millisecond) // as a request takes
	return r, err
}

func (f *faulty) List(ctx context.Context, prefix string, opts storage.ListOptions) (storage.Page, error) {
	f.lists.Add(1)
	return f.now.Load().List(ctx, prefix, opts)
}

func (f *faulty) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	f.watches.Add(1)
	if opening := f.opening.Load(); opening != nil {
		select {
		case <-*opening:
		case <-ctx.Done():
		}
	}
	w, err := f.now.Load().Watch(ctx, prefix, opts)
	if err != nil {
		return nil, err
	}
	fw := &faultyWatcher{Watcher: w, f: f}
	if f.every > 0 {
		fw.dies = time.Now().Add(rand.N(f.every))
	}
	return fw, nil
}

type faultyWatcher struct {
	storage.Watcher
	f    *faulty
	dies time.Time
}

func (w *faultyWatcher) Next(ctx context.Context) ([]storage.Event, error) {
	if w.dies.IsZero() {
		events, err := w.Watcher.Next(ctx)
		for w.f.frozen.Load() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return events, err
	}
	short, cancel := context.WithDeadline(ctx, w.dies)
	defer cancel()
	events, err := w.Watcher.Next(short)
	if err != nil && ctx.Err() == nil {
		return nil, w.f.with
	}
	return events, err
}

func newFaulty() *faulty {
	f := &faulty{}
	f.restore()
	return f
}

// restore makes it a new and empty store.
func (f *faulty) restore() {
	s := memory.New(memory.Config{Root: "/registry", ProgressInterval: quick, Form: f.form})
	f.Interface = s
	f.now.Store(s)
}

// write makes n changes below /pods/ and returns the revision of the last.
func write(t *testing.T, s storage.Interface, n int) int64 {
	t.Helper()
	var last int64
	ctx := context.Background()
	for i := range n {
		key := fmt.Sprintf("/pods/ns%d/%d", i%3, rand.N(20))
		e, err := s.Create(ctx, key, fmt.Appendf(nil, "%d", i))
		if storage.CodeOf(err) == storage.CodeExists {
			if i%2 == 0 {
				e, err = s.Delete(ctx, key, nil)
			} else {
				e, err = s.GuaranteedUpdate(ctx, key, func(storage.Entry) ([]byte, []storage.Op, error) {
					return fmt.Appendf(nil, "%d", i), nil, nil
				})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		last = e.Revision
		time.Sleep(rand.N(200 * time.Microsecond))
	}
	return last
}

func TestReadsAreFresh(t *testing.T) {
	t.Parallel()
	f := newFaulty()
	c := start(t, cacher.Config{Source: f})
	ctx := context.Background()
	for i := range 300 {
		key := fmt.Sprintf("/pods/ns/%d", i)
		made, err := f.Create(ctx, key, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			// Something else moves the revision, which the watch of the prefix says nothing of.
			f.now.Load().Database().Put("/registry/secrets/a", []byte("x"))
		}
		got, err := c.Get(ctx, key, storage.GetOptions{})
		if err != nil || got.Revision != made.Revision {
			t.Fatalf("read %d after its write: %+v, %v", i, got, err)
		}
	}
	if n := f.lists.Load(); n != 1 {
		t.Errorf("%d lists of the source", n)
	}
}

func TestARestoredBackup(t *testing.T) {
	f := newFaulty()
	c := start(t, cacher.Config{Source: f})
	ctx := context.Background()
	last := write(t, f, 50)
	if _, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: last})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	// The source now says that it is at a lower revision, and has other entries.
	f.restore()
	if _, err := f.Create(ctx, "/pods/ns/restored", []byte("x")); err != nil {
		t.Fatal(err)
	}
	page, err := c.List(ctx, "/pods/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Entries) != 1 || page.Entries[0].Key != "/pods/ns/restored" {
		t.Errorf("%d entries at %d", len(page.Entries), page.Revision)
	}
	if _, err := w.Next(ctx); storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("a watcher from before: %v", err)
	}
	if _, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: page.Revision}); err != nil {
		t.Errorf("a watcher from now: %v", err)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	f := newFaulty()
	c := start(t, cacher.Config{Source: f})
	ctx := context.Background()
	w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := w.Next(ctx)
		ended <- err
	}()
	time.Sleep(quick)
	c.Close()
	if err := <-ended; !errors.Is(err, storage.ErrClosed) {
		t.Errorf("watch: %v", err)
	}
	if _, err := c.Get(ctx, "/pods/a", storage.GetOptions{}); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("get: %v", err)
	}
}

// A watch that begins to wait while the cache is closed is ended too.
func TestCloseEndsWatchesThatComeMeanwhile(t *testing.T) {
	for range 50 {
		c := start(t, cacher.Config{Source: newFaulty()})
		const watches = 8
		ended := make(chan error, watches)
		for range watches {
			w, err := c.Watch(t.Context(), "/pods/", storage.WatchOptions{After: 1})
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				_, err := w.Next(t.Context())
				ended <- err
			}()
		}
		c.Close()
		for range watches {
			if err := <-ended; !errors.Is(err, storage.ErrClosed) {
				t.Fatalf("watch: %v", err)
			}
		}
	}
}
