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
	open    bool // headers have begun
}

// newHeaderWatch watches a connection from its beginning, on which the preface comes first.
func newHeaderWatch(limit time.Duration, late func()) *headerWatch {
	w := &headerWatch{limit: limit, timer: time.AfterFunc(limit, late), frames: frames{left: len(http2.ClientPreface)}}
	w.timer.Stop()
	return w
}

func (w *headerWatch) stop() { w.timer.Stop() }

// see follows the frames in what was read. Headers that are there at once need no timer.
func (w *headerWatch) see(p []byte) {
	for len(p) > 0 {
		var begun bool
		if p, begun = w.frames.next(p); begun && w.frames.headers() {
			w.open = true
		}
		if w.frames.whole() && w.frames.headers() && w.frames.flags.Has(http2.FlagHeadersEndHeaders) {
			w.open = false
		}
	}
	switch {
	case w.open && !w.running:
		w.timer.Reset(w.limit)
	case !w.open && w.running:
		w.timer.Stop()
	}
	w.running = w.open
}
