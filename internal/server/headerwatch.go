package server

import (
	"crypto/tls"
	"time"

	"golang.org/x/net/http2"
)

// headerWatch is a connection of HTTP/2 that is closed when the headers of a request take too long.
// They take from the begin of a HEADERS frame until the end of the frame that says that it is the
// last. In between nothing else can come, so that no other bound would see it.
//
// Only one goroutine reads, as in any server.
type headerWatch struct {
	*tls.Conn
	limit time.Duration
	timer *time.Timer // runs while headers are not complete

	frames frames // that come in
	open   bool   // headers have begun
	last   bool   // the frame is the last of the headers
}

// newHeaderWatch watches a connection from its beginning, on which the preface comes first.
func newHeaderWatch(conn *tls.Conn, limit time.Duration) *headerWatch {
	w := &headerWatch{Conn: conn, limit: limit, frames: frames{left: len(http2.ClientPreface)}}
	w.timer = time.AfterFunc(limit, func() { conn.Close() })
	w.timer.Stop()
	return w
}

func (w *headerWatch) stop() { w.timer.Stop() }

// Read implements net.Conn.
func (w *headerWatch) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.see(p[:n])
	return n, err
}

// see follows the frames in what was read.
func (w *headerWatch) see(p []byte) {
	for len(p) > 0 {
		var begun bool
		if p, begun = w.frames.follow(p); begun {
			w.begin()
		}
		if w.last && w.frames.whole() {
			w.open, w.last = false, false
			w.timer.Stop()
		}
	}
}

// begin is the begin of a frame.
func (w *headerWatch) begin() {
	kind, flags := w.frames.kind()
	if kind != http2.FrameHeaders && kind != http2.FrameContinuation {
		return
	}
	if !w.open {
		w.timer.Reset(w.limit)
	}
	w.open, w.last = true, flags.Has(http2.FlagHeadersEndHeaders)
}
