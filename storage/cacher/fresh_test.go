package cacher_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

func TestWaitersShareOneRevision(t *testing.T) {
	f := newFaulty()
	c := start(t, cacher.Config{Source: f})
	var wg sync.WaitGroup
	const readers = 200
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
	for asking.Load() < readers {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(quick) // so that all but a few are in the line
	f.gate.Store(nil)
	close(gate)
	wg.Wait()
	if n := f.revisions.Load() - before; n > readers/10 {
		t.Errorf("%d readers made %d requests", readers, n)
	}
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
