package server

import (
	"time"

	"golang.org/x/net/http2"
)

// headerWatch calls late when the headers of a request take too long. They take from the begin of a
// HEADERS frame until the end of the frame that says that it is the last. In between nothing else
// can come, so that no other bound would see it.
//
// Only one goroutine reads, as in any server.
type headerWatch struct {
	limit   time.Duration
	timer   *time.Timer // runs while headers are not complete
	running bool
	frames  frames
	open    bool   // headers have begun
	newest  uint32 // stream
}

// newHeaderWatch watches a connection from its beginning, on which the preface comes first.
func newHeaderWatch(limit time.Duration, late func()) *headerWatch {
	w := &headerWatch{limit: limit, timer: time.AfterFunc(limit, late), frames: frames{left: len(http2.ClientPreface)}}
	w.timer.Stop()
	return w
}

func (w *headerWatch) stop() { w.timer.Stop() }

// seen is what was in some bytes.
type seen struct {
	frames  int  // that begin there
	reset   bool // of a stream
	request bool // begins there; the headers behind a body begin none
}

// see follows the frames in what was read, until the headers of a request end, a stream is reset,
// or there were inARow of them. It returns how many bytes these are. Headers that are there at once
// need no timer.
func (w *headerWatch) see(p []byte) (n int, got seen) {
	for enough := false; n < len(p) && !enough; {
		rest, begun := w.frames.next(p[n:])
		n = len(p) - len(rest)
		if begun {
			w.begin(&got)
		}
		headers := w.frames.headers() && w.frames.flags.Has(http2.FlagHeadersEndHeaders)
		if w.frames.whole() && headers {
			w.open = false
		}
		enough = w.frames.whole() && (headers || got.reset || got.frames == inARow)
	}
	switch {
	case w.open && !w.running:
		w.timer.Reset(w.limit)
	case !w.open && w.running:
		w.timer.Stop()
	}
	w.running = w.open
	return n, got
}

// begin counts a frame whose header has gone by.
func (w *headerWatch) begin(got *seen) {
	got.frames++
	switch {
	case w.frames.kind == http2.FrameRSTStream:
		got.reset = true
	case w.frames.headers():
		w.open = true
		if w.frames.stream > w.newest {
			w.newest, got.request = w.frames.stream, true
		}
	}
}
