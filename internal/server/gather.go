package server

import (
	"io"
	"runtime"
	"sync"
)

const (
	// recordSize is the most that a record of TLS holds.
	recordSize = 16 << 10
	// pieceSize is how much the server of HTTP/2 gathers itself. What is longer it writes at once.
	pieceSize = 4 << 10
)

// gather makes fewer records of TLS of what the server of HTTP/2 writes, and so fewer system calls.
// That server writes pieces of at most pieceSize, also while the frames of many streams wait, as
// those of an event do that many watch. A piece that ends within a frame is kept until there is a
// record, or until one comes that ends with its frame. It has not to wait for long: nobody leaves
// a frame unfinished.
//
// Only one goroutine writes at a time, as in any server.
type gather struct {
	to     io.Writer
	frames frames  // that were written
	kept   *[]byte // less than a record; nil: nothing
}

// records are buffers for a record and what comes after it.
var records = sync.Pool{New: func() any { b := make([]byte, 0, recordSize+pieceSize); return &b }}

// Write implements io.Writer. It may return before p is on its way. What goes wrong then is told by
// a later Write.
func (g *gather) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		rest, _ = g.frames.follow(rest)
	}
	if g.kept == nil {
		if len(p) < pieceSize {
			// The connection has nothing else to write. That may change while those run who are
			// ready to; without this each would find that the one before has just been served.
			runtime.Gosched()
		}
		if g.frames.whole() || len(p) >= recordSize {
			return g.to.Write(p)
		}
		g.kept = records.Get().(*[]byte)
	}
	*g.kept = append(*g.kept, p...)
	return len(p), g.send()
}

// send writes what makes whole records, or everything if the last frame is whole.
func (g *gather) send() error {
	all := *g.kept
	n := len(all)
	if !g.frames.whole() {
		n -= n % recordSize
	}
	if n == 0 {
		return nil
	}
	if _, err := g.to.Write(all[:n]); err != nil {
		return err
	}
	if *g.kept = append(all[:0], all[n:]...); n == len(all) {
		records.Put(g.kept)
		g.kept = nil
	}
	return nil
}
