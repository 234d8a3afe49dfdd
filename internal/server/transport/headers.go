package transport

import (
	"time"

	"golang.org/x/net/http2"
)

// headerTimer calls late when the headers of a request take too long. They take from the begin of a
// HEADERS frame until the end of the frame that says that it is the last. In between nothing else
// can come, so that no other bound would see it.
//
// Only one goroutine reads, as in any server.
type headerTimer struct {
	limit   time.Duration
	timer   *time.Timer // runs while headers are not complete
	running bool
	frames  frames
	open    bool   // headers have begun
	newest  uint32 // stream
}

// newHeaderTimer watches a connection from its beginning, on which the preface comes first.
func newHeaderTimer(limit time.Duration, late func()) *headerTimer {
	h := &headerTimer{limit: limit, timer: time.AfterFunc(limit, late), frames: frames{left: len(http2.ClientPreface)}}
	h.timer.Stop()
	return h
}

func (h *headerTimer) stop() { h.timer.Stop() }

// seen is what was in some bytes.
type seen struct {
	frames  int  // that begin there
	reset   bool // of a stream
	request bool // begins there; the headers behind a body begin none
}

// see follows the frames in what was read, until the headers of a request end, a stream is reset,
// or there were inARow of them. It returns how many bytes these are. Headers that are there at once
// need no timer.
func (h *headerTimer) see(p []byte) (n int, got seen) {
	for enough := false; n < len(p) && !enough; {
		rest, begun := h.frames.next(p[n:])
		n = len(p) - len(rest)
		if begun {
			h.begin(&got)
		}
		headers := h.frames.headers() && h.frames.flags.Has(http2.FlagHeadersEndHeaders)
		if h.frames.whole() && headers {
			h.open = false
		}
		enough = h.frames.whole() && (headers || got.reset || got.frames == inARow)
	}
	switch {
	case h.open && !h.running:
		h.timer.Reset(h.limit)
	case !h.open && h.running:
		h.timer.Stop()
	}
	h.running = h.open
	return n, got
}

// begin counts a frame whose header has gone by.
func (h *headerTimer) begin(got *seen) {
	got.frames++
	switch {
	case h.frames.kind == http2.FrameRSTStream:
		got.reset = true
	case h.frames.headers():
		h.open = true
		if h.frames.stream > h.newest {
			h.newest, got.request = h.frames.stream, true
		}
	}
}
