package server

import (
	"io"
	"time"
)

const (
	// slice is how long somebody makes a long answer before others have their turn, and busySlice
	// the same where there was no lull for it. So an answer comes to its end even then.
	slice     = 100 * time.Microsecond
	busySlice = 2 * time.Millisecond
	// morsel is how many bytes are compressed without a look at the clock.
	morsel = 16 << 10
)

// worker passes on what makes a long answer, and waits for a lull now and then. So however many
// long answers are under way, short ones wait for no more than a slice of them.
type worker struct {
	to    io.Writer
	most  int // bytes to pass on at once
	until time.Time
}

// newWorker begins a slice. At least one byte is passed on at once.
func newWorker(to io.Writer, most int) worker {
	return worker{to: to, most: most, until: time.Now().Add(slice)}
}

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

// yield waits if the slice is over.
func (w *worker) yield() {
	if time.Now().Before(w.until) {
		return
	}
	next := slice
	if lulls.wait() {
		next = busySlice
	}
	w.until = time.Now().Add(next)
}
