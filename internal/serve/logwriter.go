package serve

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/typeplane/typeplane/internal/recovery"
)

const (
	// logWait is how long a line of the log waits until it is written, as long as lines are.
	logWait = time.Second
	// maxLogPending is how many bytes of lines wait when they are not.
	maxLogPending = 1 << 20
)

// logWriter is where the server's log goes. What reads the log may stop, and a pipe is full then:
// whoever has something to say would wait for ever, and the server would answer nobody. So a line
// waits a second; from then on, until a line gets through, lines are kept without waiting as far as
// there is room, and then dropped.
//
// Its methods may be called from any goroutine.
type logWriter struct {
	out io.Writer
	// lost is told, from a goroutine of its own, how many lines were dropped, when lines get
	// through again. It may write.
	lost func(lines int)

	mu      sync.Mutex // guards what follows
	pending *logLines
	writing bool // there is a goroutine that writes
	stuck   bool
	dropped int
}

// logLines are written at once.
type logLines struct {
	text    []byte
	written chan struct{}
}

func newLogWriter(out io.Writer) *logWriter {
	return &logWriter{out: out, lost: func(int) {}, pending: newLogLines()}
}

func newLogLines() *logLines { return &logLines{written: make(chan struct{})} }

// Write takes whole lines and never fails: there is nobody who could be told.
func (w *logWriter) Write(p []byte) (int, error) {
	lines, wait := w.add(p)
	if !wait {
		return len(p), nil
	}
	timer := time.NewTimer(logWait)
	defer timer.Stop()
	select {
	case <-lines.written:
	case <-timer.C:
		w.mu.Lock()
		w.stuck = w.writing
		w.mu.Unlock()
	}
	return len(p), nil
}

// add puts lines among the pending ones, and says whether to wait until these are written.
func (w *logWriter) add(p []byte) (lines *logLines, wait bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pending.text) > 0 && len(w.pending.text)+len(p) > maxLogPending {
		w.dropped++
		return nil, false
	}
	w.pending.text = append(w.pending.text, p...)
	if !w.writing {
		w.writing = true
		go w.write()
	}
	return w.pending, !w.stuck
}

// discarded is for panics while the log is written, which can't be logged.
var discarded = slog.New(slog.DiscardHandler)

// write writes until nothing is pending.
func (w *logWriter) write() {
	for {
		w.mu.Lock()
		lines := w.pending
		if len(lines.text) == 0 {
			w.writing = false
			w.mu.Unlock()
			return
		}
		w.pending = newLogLines()
		w.mu.Unlock()

		_ = recovery.Object(discarded, "log", "", func() { w.out.Write(lines.text) })
		close(lines.written)

		w.mu.Lock()
		w.stuck = false
		if n := w.dropped; n > 0 {
			w.dropped = 0
			go recovery.Object(discarded, "log", "", func() { w.lost(n) })
		}
		w.mu.Unlock()
	}
}
