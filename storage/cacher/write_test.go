package cacher_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// reading counts the writes for which the source had to read first, and tells the cache nothing
// while it is held.
type reading struct {
	*memory.Store
	reads atomic.Int64
	held  sync.RWMutex
}

func (r *reading) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	r.reads.Add(1)
	return r.Store.GuaranteedUpdate(ctx, key, try)
}

func (r *reading) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	r.reads.Add(1)
	return r.Store.Delete(ctx, key, check)
}

func (r *reading) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	w, err := r.Store.Watch(ctx, prefix, opts)
	return readingWatcher{w, r}, err
}

type readingWatcher struct {
	storage.Watcher
	r *reading
}

func (w readingWatcher) Next(ctx context.Context) ([]storage.Event, error) {
	events, err := w.Watcher.Next(ctx)
	w.r.held.RLock()
	defer w.r.held.RUnlock()
	return events, err
}

// wantReads fails the test unless the source has read n times since the last call.
func (r *reading) wantReads(t *testing.T, n int64, what string) {
	t.Helper()
	if got := r.reads.Swap(0); got != n {
		t.Errorf("%s: the source read %d times, want %d", what, got, n)
	}
}

func startReading(t *testing.T, writes *cacher.WriteCache) (*reading, *cacher.Cacher) {
	t.Helper()
	form := storage.Form{}
	if writes != nil {
		form = writes.Form(form)
	}
	r := &reading{Store: memory.New(memory.Config{Form: form, ProgressInterval: quick})}
	c := start(t, cacher.Config{Source: r, WriteCache: writes})
	return r, c
}

// seen is a TryUpdate that notes on what it is asked.
func seen(values *[]string, then storage.TryUpdate) storage.TryUpdate {
	return func(current storage.Entry) ([]byte, []storage.Op, error) {
		*values = append(*values, fmt.Sprintf("%s@%d", current.Value, current.Revision))
		return then(current)
	}
}

func to(value string) storage.TryUpdate {
	return func(storage.Entry) ([]byte, []storage.Op, error) { return []byte(value), nil, nil }
}

func TestWritesBeginWithTheCache(t *testing.T) {
	r, c := startReading(t, nil)
	ctx := context.Background()
	for _, key := range []string{"/pods/ns/a", "/pods/ns/b"} {
		if _, err := r.Create(ctx, key, []byte("one")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Get(ctx, "/pods/ns/b", storage.GetOptions{}); err != nil { // it has both now
		t.Fatal(err)
	}
	if _, err := c.GuaranteedUpdate(ctx, "/pods/ns/a", to("two")); err != nil {
		t.Error(err)
	}
	if _, err := c.Delete(ctx, "/pods/ns/b", nil); err != nil {
		t.Error(err)
	}
	r.wantReads(t, 0, "what the cache has")

	// What it does not have, or is not there for, the source reads.
	_, err := c.GuaranteedUpdate(ctx, "/pods/ns/none", to("two"))
	if storage.CodeOf(err) != storage.CodeNotFound {
		t.Errorf("update of nothing: %v", err)
	}
	if _, err := r.Create(ctx, "/others/a", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.GuaranteedUpdate(ctx, "/others/a", to("two")); err != nil {
		t.Error(err)
	}
	if _, err := c.Delete(ctx, "/others/a", nil); err != nil {
		t.Error(err)
	}
	r.wantReads(t, 3, "what the cache does not have")
}

// A process knows what it has written before the source tells it.
func TestOwnWritesAreKnownAtOnce(t *testing.T) {
	r, c := startReading(t, new(cacher.WriteCache))
	ctx := context.Background()
	r.held.Lock() // the cache learns nothing
	defer r.held.Unlock()
	var asked, want []string
	made, err := c.Create(ctx, "/pods/ns/a", []byte("0"))
	for i := 1; i < 5 && err == nil; i++ {
		want = append(want, fmt.Sprintf("%s@%d", made.Value, made.Revision))
		made, err = c.GuaranteedUpdate(ctx, "/pods/ns/a", seen(&asked, to(fmt.Sprint(i))))
	}
	if err != nil || fmt.Sprint(asked) != fmt.Sprint(want) {
		t.Errorf("asked on %v, %v, want %v", asked, err, want)
	}
	// Another writer comes between; after that the newest is known again.
	other := r.Database().Put("/pods/ns/a", []byte("other"))
	asked, want = nil, []string{fmt.Sprintf("4@%d", made.Revision), fmt.Sprintf("other@%d", other)}
	made, err = c.GuaranteedUpdate(ctx, "/pods/ns/a", seen(&asked, to("5")))
	if err != nil || fmt.Sprint(asked) != fmt.Sprint(want) {
		t.Errorf("asked on %v, %v, want %v", asked, err, want)
	}
	if gone, err := c.Delete(ctx, "/pods/ns/a", nil); err != nil || string(gone.Value) != "5" || gone.Revision <= made.Revision {
		t.Errorf("deleted %+v, %v", gone, err)
	}
	r.wantReads(t, 0, "own writes")
	if _, err := c.GuaranteedUpdate(ctx, "/pods/ns/a", to("6")); storage.CodeOf(err) != storage.CodeNotFound {
		t.Errorf("update of what is gone: %v", err)
	}
}

// What the cache has overtaken is not brought back by the memory of an own write.
func TestTheCacheIsNewerThanOwnWrites(t *testing.T) {
	r, c := startReading(t, new(cacher.WriteCache))
	ctx := context.Background()
	if _, err := c.Create(ctx, "/pods/ns/a", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	other := r.Database().Put("/pods/ns/a", []byte("other"))
	if _, err := c.Get(ctx, "/pods/ns/a", storage.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	var asked []string
	_, err := c.GuaranteedUpdate(ctx, "/pods/ns/a", seen(&asked, to("new")))
	if want := fmt.Sprintf("[other@%d]", other); err != nil || fmt.Sprint(asked) != want {
		t.Errorf("asked on %v, %v, want %s", asked, err, want)
	}
}

// Nor is what was written in a history that is no more.
func TestOwnWritesOfAnotherHistory(t *testing.T) {
	writes := new(cacher.WriteCache)
	f := &faulty{form: writes.Form(storage.Form{})}
	f.restore()
	c := start(t, cacher.Config{Source: f, WriteCache: writes})
	ctx := context.Background()
	write(t, f, 10)
	if _, err := c.Create(ctx, "/pods/ns/a", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, "/pods/ns/a", storage.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	f.restore()
	restored := f.now.Load().Database().Put("/registry/pods/ns/a", []byte("restored"))
	if _, err := c.Get(ctx, "/pods/ns/a", storage.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	var asked []string
	_, err := c.GuaranteedUpdate(ctx, "/pods/ns/a", seen(&asked, to("new")))
	if want := fmt.Sprintf("[restored@%d]", restored); err != nil || fmt.Sprint(asked) != want {
		t.Errorf("asked on %v, %v, want %s", asked, err, want)
	}
}

// An entry that can't be read may be readable by now, or not there.
func TestPoisonedEntriesAreReadAgain(t *testing.T) {
	r := &reading{Store: memory.New(memory.Config{ProgressInterval: quick, Form: storage.Form{
		Canonical: func(_ string, stored []byte) ([]byte, bool, error) {
			if string(stored) == "garbage" {
				return nil, false, errors.New("it is garbage")
			}
			return stored, false, nil
		},
	}})}
	c := start(t, cacher.Config{Source: r})
	ctx := context.Background()
	r.Database().Put("/pods/ns/a", []byte("garbage"))
	if _, err := c.Get(ctx, "/pods/ns/a", storage.GetOptions{}); storage.CodeOf(err) != storage.CodeCorrupt {
		t.Fatalf("get: %v", err)
	}
	if _, err := c.GuaranteedUpdate(ctx, "/pods/ns/a", to("new")); storage.CodeOf(err) != storage.CodeCorrupt {
		t.Errorf("update: %v", err)
	}
	r.wantReads(t, 1, "an update of what can't be read")
	r.held.Lock()
	defer r.held.Unlock()
	r.Database().Put("/pods/ns/a", []byte("mended"))
	if got, err := c.GuaranteedUpdate(ctx, "/pods/ns/a", to("new")); err != nil || string(got.Value) != "new" {
		t.Errorf("update of what was mended: %+v, %v", got, err)
	}
}
