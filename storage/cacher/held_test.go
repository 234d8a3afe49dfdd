package cacher_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// slowAttribute is one of which to read it can take long. entered is told when it does.
type slowAttribute struct {
	slow    atomic.Bool
	entered chan struct{}
	gate    chan struct{}
}

func (a *slowAttribute) where() *storage.Where {
	return &storage.Where{Attribute: "slow", Value: "x", Read: func(storage.Entry) (string, bool, error) {
		if a.slow.Load() {
			select {
			case a.entered <- struct{}{}:
			default:
			}
			<-a.gate
		}
		return "x", true, nil
	}}
}

// What takes long, since there are many entries or indexes, is not done while everybody else waits.
func TestNobodyIsHeldUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for name, long := range map[string]func(c *cacher.Cacher, first int64){
		"reading again": func(c *cacher.Cacher, _ int64) { c.Reread() },
		"a state of the past": func(c *cacher.Cacher, first int64) {
			page, err := c.List(ctx, "/pods/", storage.ListOptions{Match: storage.Exact, Revision: first})
			if err != nil || len(page.Entries) != 1 || page.Revision != first {
				t.Errorf("the state at %d is %+v, %v", first, page, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			source := memory.New(memory.Config{ProgressInterval: quick})
			var first, last storage.Entry
			for i := range 10 {
				e, err := source.Create(ctx, fmt.Sprintf("/pods/ns/%d", i), []byte("x"))
				if err != nil {
					t.Fatal(err)
				}
				if last = e; i == 0 {
					first = e
				}
			}
			c := start(t, cacher.Config{Source: source})
			a := &slowAttribute{entered: make(chan struct{}, 1), gate: make(chan struct{})}
			for range 2 {
				if _, err := c.List(ctx, "/pods/", storage.ListOptions{Where: a.where()}); err != nil {
					t.Fatal(err)
				}
			}
			if n := c.Stats().Indexes; n != 1 {
				t.Fatalf("there are %d indexes", n)
			}
			w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: first.Revision}) // the history is there then
			if err != nil {
				t.Fatal(err)
			}
			w.Close()

			a.slow.Store(true)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				long(c, first.Revision)
			}()
			<-a.entered
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: last.Revision - 1})
				if err != nil {
					t.Error(err)
					return
				}
				defer w.Close()
				if events, err := w.Next(ctx); err != nil || !cmp.Equal(events, []storage.Event{{Type: storage.Created, Entry: last}}) {
					t.Errorf("a watch got %+v, %v", events, err)
				}
			}()
			select {
			case <-answered:
			case <-time.After(5 * time.Second):
				t.Error("a watch waits for it")
			}
			close(a.gate)
			<-answered
			<-ended
		})
	}
}
