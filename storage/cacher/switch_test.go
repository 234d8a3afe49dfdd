package cacher_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// either is a store that becomes another one.
type either struct {
	now atomic.Pointer[storage.Interface]
}

func (e *either) at() storage.Interface { return *e.now.Load() }

func (e *either) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	return e.at().Get(ctx, key, opts)
}
func (e *either) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	return e.at().List(ctx, selection, opts)
}
func (e *either) Watch(ctx context.Context, selection string, opts storage.WatchOptions) (storage.Watcher, error) {
	return e.at().Watch(ctx, selection, opts)
}
func (e *either) Count(ctx context.Context, selection string) (int64, error) {
	return e.at().Count(ctx, selection)
}
func (e *either) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	return e.at().Create(ctx, key, value, with...)
}
func (e *either) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return e.at().GuaranteedUpdate(ctx, key, try)
}
func (e *either) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	return e.at().Delete(ctx, key, check)
}
func (e *either) Revision(ctx context.Context) (int64, error) { return e.at().Revision(ctx) }

// TestSwitch: reads see the other source at once, also one whose revision is lower or the same, and
// watches end with CodeCompacted.
func TestSwitch(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, more := range []int{0, 1, 20} {
		one := memory.New(memory.Config{Database: memory.NewDatabase()})
		two := memory.New(memory.Config{Database: memory.NewDatabase()})
		for n := range 10 {
			if _, err := one.Create(ctx, fmt.Sprintf("/pods/old%d", n), nil); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 9 + more {
			if _, err := two.Create(ctx, fmt.Sprintf("/pods/new%d", n), nil); err != nil {
				t.Fatal(err)
			}
		}
		source := new(either)
		first, second := storage.Interface(one), storage.Interface(two)
		source.now.Store(&first)
		c, err := cacher.New(cacher.Config{Source: source, Prefix: "/pods/"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		page, err := c.List(ctx, "/pods/", storage.ListOptions{})
		if err != nil || len(page.Entries) != 10 {
			t.Fatalf("%d entries, %v", len(page.Entries), err)
		}
		w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: page.Revision})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		c.Switch(func() { source.now.Store(&second) })
		if page, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil || len(page.Entries) != 9+more || page.Entries[0].Key != "/pods/new0" {
			t.Errorf("with %d more, after the switch: %d entries, %v", more, len(page.Entries), err)
		}
		if events, err := w.Next(ctx); storage.CodeOf(err) != storage.CodeCompacted {
			t.Errorf("with %d more, a watch of before goes on with %+v, %v", more, events, err)
		}
	}
}
