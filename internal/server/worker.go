package server

import (
	"io"
	"time"
)

// Who makes a long answer does so for a shift, and then waits for a lull. The first shift is short.
// The next is twice as long as the last where the server was idle. It is long where there was no
// lull, so that the answer comes to its end.
const (
	firstShift   = 100 * time.Microsecond
	idleShift    = 400 * time.Microsecond // at most
	crowdedShift = 2 * time.Millisecond
)

// morsel is how many bytes are compressed without a look at the clock.
const morsel = 16 << 10

// worker passes on what makes a long answer, and waits for a lull now and then. So however many
// long answers are under way, short ones wait for no more than one shift. It waits for memory, too.
type worker struct {
	to    io.Writer
	most  int // bytes to pass on at once
	shift time.Duration
	until time.Time
}

// beginWork begins the first shift.
func beginWork() worker {
	return worker{shift: firstShift, until: time.Now().Add(firstShift)}
}

// passOn says where what is made goes.
func (w *worker) passOn(to io.Writer, most int) { w.to, w.most = to, most }

// Write implements io.Writer.
func (w *worker) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		w.yield()
		more, err := w.to.Write(p[n : n+min(len(p)-n, w.most)])
		if n += more; err != nil {
			return n, err
		}
	}
	return len(p), nil
}

// yield waits if the shift is over, for a lull and for memory.
func (w *worker) yield() {
	if time.Now().Before(w.until) {
		return
	}
	switch lulls.wait() {
	case idle:
		w.shift = min(2*w.shift, idleShift)
	case working:
		w.shift = firstShift
	case crowded:
		w.shift = crowdedShift
	}
	memory.wait()
	w.until = time.Now().Add(w.shift)
}
