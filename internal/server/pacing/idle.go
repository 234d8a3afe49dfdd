package pacing

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// Load is how busy the process was that somebody waited for.
type Load int

const (
	// Idle: nothing else was to be done. To wait costs 3 to 8 µs then, so the next may be spared
	// it.
	Idle Load = iota
	// Working: others were first.
	Working
	// Crowded: the processors had work for 10 ms, so nobody was held back any longer.
	Crowded
)

// WaitIdle returns when a processor has nothing else to do, and says how busy it was before. One of
// those who wait goes on at such a moment, in their order. Where there was none for 10 ms, all go
// on.
func WaitIdle() Load { return waiting.wait() }

// Err says why nobody can wait in this process; nil if all can.
func Err() error { return waiting.err }

// waiting are those who wait in this process.
var waiting = newIdleQueue()

// idleQueue holds back work that may wait until a processor has nothing else to do. So short work
// of others does not stand behind much of it in the queues of Go's scheduler.
//
// A processor looks at the network when it finds nothing to run, and somebody does every 10 ms. So
// who waits for a byte in a pipe goes on when those in the processor's queue have had a turn, and
// together with those whose bytes have just come. A server that always has something to run would
// hear of them up to 10 ms late.
type idleQueue struct {
	in, out *os.File
	err     error // there is no pipe
	start   sync.Once

	mu      sync.Mutex // guards the fields below
	waiters []*waiter
	rung    time.Time // when a byte was written that is not read yet; zero: there is none
}

// waiter has its lock held until its turn has come. A channel could not be used in tests with a
// clock of their own, since the turn is given by a goroutine that is outside of them.
type waiter struct {
	sync.Mutex
	load Load
}

const (
	// idleWithin is how soon a byte is read if there is nothing else to do.
	idleWithin = 20 * time.Microsecond
	// crowdedAfter is when it was read without an idle moment: the scheduler looks at the network
	// after 10 ms in any case.
	crowdedAfter = 8 * time.Millisecond
)

func newIdleQueue() *idleQueue {
	q := &idleQueue{}
	if q.in, q.out, q.err = os.Pipe(); q.err != nil {
		q.err = fmt.Errorf("a pipe that requests wait for: %w", q.err)
	}
	return q
}

func (q *idleQueue) wait() Load {
	q.start.Do(func() { go q.run() })
	w := new(waiter)
	w.Lock()
	q.mu.Lock()
	q.waiters = append(q.waiters, w)
	q.ring()
	q.mu.Unlock()

	w.Lock() // run unlocks it

	q.mu.Lock()
	q.ring() // now that run waits again, and does not find its byte without a look at the network
	q.mu.Unlock()
	return w.load
}

// ring writes a byte if somebody waits for one. The lock is held.
func (q *idleQueue) ring() {
	if len(q.waiters) == 0 || !q.rung.IsZero() {
		return
	}
	q.rung = time.Now()
	q.out.Write([]byte{0}) // there is room for it, and nobody closes the pipe
}

// run has one of those who wait go on for each byte.
func (q *idleQueue) run() {
	last := Idle
	for b := make([]byte, 1); ; {
		q.in.Read(b)
		q.mu.Lock()
		n := 1
		if last = loadAfter(time.Since(q.rung), last); last == Crowded {
			n = len(q.waiters)
		}
		next := q.waiters[:n]
		q.waiters, q.rung = q.waiters[n:], time.Time{}
		q.mu.Unlock()
		for _, w := range next {
			w.load = last
			w.Unlock()
		}
	}
}

// loadAfter judges by how long it took until a byte was read. That takes long, too, behind a crowd
// that has just been let go, which must not be a reason to let another one go.
func loadAfter(took time.Duration, last Load) Load {
	switch {
	case took < idleWithin:
		return Idle
	case took > crowdedAfter && last != Crowded:
		return Crowded
	}
	return Working
}
