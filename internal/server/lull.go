package server

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// lull holds back work that may wait until a processor has nothing else to do. That is requests of
// connections that have others under way, and the next piece of a long answer. So short work of
// others does not stand behind much of it in the queues of Go's scheduler.
//
// A processor looks at the network when it finds nothing to run, and somebody does every 10 ms. So
// who waits for a byte in a pipe goes on when those in the processor's queue have had a turn, and
// together with those whose bytes have just come. A server that always has something to run would
// hear of them up to 10 ms late.
//
// One of those who wait goes on at a time, in their order. The next waits for another lull.
type lull struct {
	in, out *os.File
	err     error // there is no pipe
	start   sync.Once

	mu      sync.Mutex // guards the fields below
	waiting []*waiter
	rung    time.Time // when a byte was written that is not read yet; zero: there is none
}

// waiter has its lock held until its turn has come. A channel could not be used in tests with a
// clock of their own, since the turn is given by a goroutine that is outside of them.
type waiter struct {
	sync.Mutex
	mood mood
}

// mood is how busy a server was that somebody waited for.
type mood int

const (
	// idle: nothing else was to be done. To wait costs 3 to 8 µs then, so the next may be spared
	// it.
	idle mood = iota
	// working: others were first.
	working
	// crowded: there was no lull for 10 ms, so nobody was held back any longer.
	crowded
)

// lulls are those of this process.
var lulls = newLull()

const (
	// idleWithin is how soon a byte is read if there is nothing else to do.
	idleWithin = 20 * time.Microsecond
	// crowdedAfter is when it was read without a lull: the scheduler looks at the network after
	// 10 ms in any case.
	crowdedAfter = 8 * time.Millisecond
)

func newLull() *lull {
	l := &lull{}
	if l.in, l.out, l.err = os.Pipe(); l.err != nil {
		l.err = fmt.Errorf("a pipe that requests wait for: %w", l.err)
		return l
	}
	return l
}

// wait returns in the next lull that is not somebody else's. Where there is none for 10 ms, all who
// wait go on.
func (l *lull) wait() mood {
	l.start.Do(func() { go l.run() })
	w := new(waiter)
	w.Lock()
	l.mu.Lock()
	l.waiting = append(l.waiting, w)
	l.ring()
	l.mu.Unlock()

	w.Lock() // run unlocks it

	l.mu.Lock()
	l.ring() // now that run waits again, and does not find its byte without a look at the network
	l.mu.Unlock()
	return w.mood
}

// ring writes a byte if somebody waits for one. The lock is held.
func (l *lull) ring() {
	if len(l.waiting) == 0 || !l.rung.IsZero() {
		return
	}
	l.rung = time.Now()
	l.out.Write([]byte{0}) // there is room for it, and nobody closes the pipe
}

// run has one of those who wait go on for each byte.
func (l *lull) run() {
	last := idle
	for b := make([]byte, 1); ; {
		l.in.Read(b)
		l.mu.Lock()
		n := 1
		if last = moodAfter(time.Since(l.rung), last); last == crowded {
			n = len(l.waiting)
		}
		next := l.waiting[:n]
		l.waiting, l.rung = l.waiting[n:], time.Time{}
		l.mu.Unlock()
		for _, w := range next {
			w.mood = last
			w.Unlock()
		}
	}
}

// moodAfter judges by how long it took until a byte was read. That takes long, too, behind a crowd
// that has just been let go, which must not be a reason to let another one go.
func moodAfter(took time.Duration, last mood) mood {
	switch {
	case took < idleWithin:
		return idle
	case took > crowdedAfter && last != crowded:
		return crowded
	}
	return working
}
