package server

import (
	"crypto/tls"
	"encoding/binary"
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

	header [frameHeader]byte // of the next frame
	have   int               // bytes of it
	left   int               // bytes of the frame, or of the preface, that are still to come
	open   bool              // headers have begun
	last   bool              // the frame is the last of the headers
}

const frameHeader = 9

// newHeaderWatch watches a connection from its beginning, on which the preface comes first.
func newHeaderWatch(conn *tls.Conn, limit time.Duration) *headerWatch {
	w := &headerWatch{Conn: conn, limit: limit, left: len(http2.ClientPreface)}
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
	for {
		if w.left == 0 && w.last {
			w.open, w.last = false, false
			w.timer.Stop()
		}
		if len(p) == 0 {
			return
		}
		if w.left > 0 {
			n := min(w.left, len(p))
			w.left, p = w.left-n, p[n:]
			continue
		}
		n := copy(w.header[w.have:], p)
		w.have, p = w.have+n, p[n:]
		if w.have == frameHeader {
			w.have = 0
			w.begin()
		}
	}
}

// begin is the begin of the frame whose header was read.
func (w *headerWatch) begin() {
	w.left = int(binary.BigEndian.Uint32(w.header[:4]) >> 8)
	kind, flags := http2.FrameType(w.header[3]), http2.Flags(w.header[4])
	if kind != http2.FrameHeaders && kind != http2.FrameContinuation {
		return
	}
	if !w.open {
		w.timer.Reset(w.limit)
	}
	w.open, w.last = true, flags.Has(http2.FlagHeadersEndHeaders)
}
