package transport

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
)

// coalescer joins what the streams of a connection send into fewer records of TLS, and so into
// fewer system calls.
//
// A short answer goes out in one record: its headers, its body and its end. The server of HTTP/2
// flushes after each of them, and these are a third of what a get costs.
//
// Frames of many streams go out together, as those of an event that many watch. The server writes
// them in pieces of at most pieceSize. A piece that ends within a frame is kept until one comes
// that ends with its frame, or there is enough. Nobody leaves a frame unfinished.
//
// A long answer is in frames of the longest kind. Several of them go out at once, in records that
// are full.
//
// Only one goroutine writes at a time, as in any server.
type coalescer struct {
	to io.Writer
	// short is how many handlers are just writing an answer whose end comes at once.
	short atomic.Int32

	mu     sync.Mutex // guards the fields below
	frames frames
	held   *[]byte // what is not sent yet; nil: nothing
	timer  *time.Timer
	armed  bool
	err    error // of a write that nobody waited for
}

const (
	// holdTime is how long something is held at most, in case that nothing comes behind it.
	holdTime = 5 * time.Millisecond
	// recordSize is the most that a record of TLS holds.
	recordSize = 16 << 10
	// enough is how much is held at most, and less than a write more.
	enough = 4 * recordSize
	// pieceSize is how much the server of HTTP/2 gathers itself. What is longer it writes at once.
	pieceSize = 4 << 10
)

// records are buffers for a record and what comes after it.
var records = sync.Pool{New: func() any { b := make([]byte, 0, recordSize+pieceSize); return &b }}

func newCoalescer(to io.Writer) *coalescer {
	c := &coalescer{to: to}
	c.timer = time.AfterFunc(holdTime, c.late)
	c.timer.Stop()
	return c
}

// Write implements io.Writer. It may return before p is on its way. What goes wrong then is told by
// a later Write.
func (c *coalescer) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	for rest := p; len(rest) > 0; {
		rest, _ = c.frames.next(rest)
	}
	more := c.goesOn()
	if c.held == nil {
		if !more && len(p) < pieceSize {
			// The connection has nothing else to write. That may change while those run who are
			// ready to; without this each would find that the one before has just been served.
			runtime.Gosched()
		}
		if !more && c.frames.whole() {
			return c.to.Write(p)
		}
		c.held = records.Get().(*[]byte)
	}
	*c.held = append(*c.held, p...)
	var err error
	if len(*c.held) >= enough || !more && c.frames.whole() {
		err = c.send(more)
	}
	if more && c.held != nil && !c.armed {
		c.armed = true
		c.timer.Reset(holdTime)
	}
	return len(p), err
}

// goesOn says whether more will follow at once behind the last frame. Behind headers there is a
// body. A short answer comes to its end. A frame of the longest kind is a piece of something
// longer. One that a client's window cuts short is not of that kind, so nothing waits for that.
func (c *coalescer) goesOn() bool {
	f := &c.frames
	switch {
	case !f.whole():
		return false
	case f.kind == http2.FrameHeaders:
		return f.flags.Has(http2.FlagHeadersEndHeaders) && !f.flags.Has(http2.FlagHeadersEndStream)
	case f.kind == http2.FrameData:
		return !f.flags.Has(http2.FlagDataEndStream) && (f.size >= frameSize || c.short.Load() > 0)
	}
	return false
}

// send sends what makes whole records, or everything if the last frame is whole and no more
// follows.
func (c *coalescer) send(more bool) error {
	all := *c.held
	n := len(all)
	if more || !c.frames.whole() {
		n -= n % recordSize
	}
	if n == 0 {
		return nil
	}
	_, c.err = c.to.Write(all[:n])
	if *c.held = append(all[:0], all[n:]...); n == len(all) {
		records.Put(c.held)
		c.held = nil
	}
	return c.err
}

// late sends what has been held for too long.
func (c *coalescer) late() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed = false; c.held != nil {
		c.send(false)
	}
}

// writesShort says that an answer is written from now on until end is called, and that it ends when
// the handler does.
func (c *coalescer) writesShort() (end func()) {
	c.short.Add(1)
	return func() { c.short.Add(-1) }
}
