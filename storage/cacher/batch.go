package cacher

import (
	"context"
	"runtime"
	"sync"

	"github.com/typeplane/typeplane/internal/recovery"
)

// batch reads a number for everyone who wants it, one read at a time. Whoever comes while a read is
// on its way waits for the next one, because the answer of the first may be older than the
// question.
type batch struct {
	read func() (int64, error)

	mu      sync.Mutex // guards the fields below
	next    *call
	running bool
}

func (b *batch) get(ctx context.Context) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	b.mu.Lock()
	if b.next == nil {
		b.next = &call{done: make(chan struct{})}
	}
	c := b.next
	if !b.running {
		b.running = true
		go b.run()
	}
	b.mu.Unlock()
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

type call struct {
	done  chan struct{}
	value int64
	err   error
}

// stepsToAsk is how many goroutines a request goes through before it asks: one reads it off its
// connection, one knows the streams of that, one handles it. Each may wait for a processor.
const stepsToAsk = 3

// run makes the reads that are waited for. It ends by itself, as soon as the last of them has.
func (b *batch) run() {
	for {
		// Whoever is about to ask, and has only not had a processor yet, is in this read too.
		for range stepsToAsk {
			runtime.Gosched()
		}
		b.mu.Lock()
		c := b.next
		b.next = nil
		if c == nil {
			b.running = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		c.err = recovery.Call(nil, "revision", "", func() (err error) {
			c.value, err = b.read()
			return err
		})
		close(c.done)
	}
}
