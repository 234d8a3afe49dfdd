package pacing

import (
	"io"
	"time"
)

// Who makes a long answer does so for a slice of time, and then waits for an idle moment. The first
// slice is short. The next is twice as long as the last where the process was idle. It is long
// where nothing was idle, so that the answer comes to its end.
const (
	firstSlice   = 100 * time.Microsecond
	idleSlice    = 400 * time.Microsecond // at most
	crowdedSlice = 2 * time.Millisecond
)

// Writer passes on what makes a long answer, and waits for an idle moment now and then. So however
// many long answers are under way, short ones wait for no more than one slice of time. It waits for
// memory, too.
type Writer struct {
	to    io.Writer
	most  int // bytes to pass on at once
	slice time.Duration
	until time.Time
}

// Begin begins the first slice.
func Begin() Writer {
	return Writer{slice: firstSlice, until: time.Now().Add(firstSlice)}
}

// SetOutput says where the answer goes, and how many bytes are passed on at most without a look at
// the clock.
func (w *Writer) SetOutput(to io.Writer, most int) { w.to, w.most = to, most }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		w.Pause()
		more, err := w.to.Write(p[n : n+min(len(p)-n, w.most)])
		if n += more; err != nil {
			return n, err
		}
	}
	return len(p), nil
}

// Pause waits if the slice is over, for an idle moment and for memory.
func (w *Writer) Pause() {
	if time.Now().Before(w.until) {
		return
	}
	switch WaitIdle() {
	case Idle:
		w.slice = min(2*w.slice, idleSlice)
	case Working:
		w.slice = firstSlice
	case Crowded:
		w.slice = crowdedSlice
	}
	WaitMemory()
	w.until = time.Now().Add(w.slice)
}
