package garbage

import (
	"context"
	"time"
)

// queue is what workers have to look at. It is a part of the graph, whose mutex guards it. A node
// is in it once, and no two workers have the same one.
type queue struct {
	nodes []*node
	// wake has something in it when a worker may find a node.
	wake chan struct{}
	// closed: nothing comes in or out any more.
	closed bool
}

// The waits after a failure: each twice as long as the one before.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Minute
)

// enqueue puts a node in. The caller holds mu.
func (g *graph) enqueue(n *node) {
	if n.flags.has(working) {
		n.flags |= again
		return
	}
	if n.flags.has(queued) || g.queue.closed {
		return
	}
	n.flags |= queued
	g.queue.nodes = append(g.queue.nodes, n)
	g.queue.ring()
}

func (g *graph) enqueueDependents(n *node) {
	for l := n.dependents; l != nil; l = l.next {
		g.enqueue(l.dependent)
	}
}

// enqueueAt puts a node in when a time has come; one that it waits for already counts no more. Who
// takes it out knows what else there is to wait for. The caller holds mu.
func (g *graph) enqueueAt(n *node, at time.Time) {
	g.stopTimer(n)
	wait := time.Until(at)
	if wait <= 0 {
		g.enqueue(n)
		return
	}
	g.timers[n] = time.AfterFunc(wait, func() { g.enqueueNow(n) })
}

func (g *graph) stopTimer(n *node) {
	if timer := g.timers[n]; timer != nil {
		timer.Stop()
		delete(g.timers, n)
	}
}

// later is enqueueAt for who does not hold mu.
func (g *graph) later(n *node, at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.enqueueAt(n, at)
}

func (g *graph) enqueueNow(nodes ...*node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range nodes {
		g.enqueue(n)
	}
}

// enqueueAll has every object with owners looked at.
func (g *graph) enqueueAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.nodes {
		if n.owners != nil {
			g.enqueue(n)
		}
	}
}

func (q *queue) ring() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for a node, and returns nil when ctx ends. done must follow.
func (g *graph) take(ctx context.Context) *node {
	for {
		if n := g.first(); n != nil {
			return n
		}
		select {
		case <-g.queue.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

func (g *graph) first() *node {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := &g.queue
	if len(q.nodes) == 0 || q.closed {
		return nil
	}
	n := q.nodes[0]
	g.stopTimer(n)
	q.nodes[0] = nil
	if q.nodes = q.nodes[1:]; len(q.nodes) > 0 {
		q.ring() // for the next worker
	} else {
		q.nodes = nil
	}
	n.flags = n.flags&^queued | working
	return n
}

// done gives a node back; one that failed comes again after a while.
func (g *graph) done(n *node, failed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	requeue := n.flags.has(again)
	n.flags &^= working | again
	if !failed {
		n.tries = 0
	}
	switch {
	case requeue:
		g.enqueue(n)
	case failed:
		g.enqueueAt(n, time.Now().Add(min(lastPause, firstPause<<n.tries)))
		n.tries = min(n.tries+1, 12)
	}
}

// closeQueue ends the work.
func (g *graph) closeQueue() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queue.closed, g.queue.nodes = true, nil
	for n := range g.timers {
		g.stopTimer(n)
	}
}
