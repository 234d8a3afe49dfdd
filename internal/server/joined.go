package server

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
)

// joined is what a connection of HTTP/2 writes to. It makes fewer records of TLS of what comes, and
// so fewer system calls.
//
// A short answer goes out in one: its headers, its body and its end. net/http flushes after each of
// them, and these are a third of what a get costs.
//
// So do the frames of many streams that wait, as those of an event do that many watch. net/http
// writes them in pieces of at most pieceSize. A piece that ends within a frame is kept until one
// comes that ends with its frame, or there is enough. Nobody leaves a frame unfinished.
//
// A long answer is in frames of the longest kind. Several of them go out at once, in records that
// are full.
//
// Only one goroutine writes at a time, as in any server.
type joined struct {
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
	// frameSize is the most that a frame holds for a client that has not asked for longer ones.
	frameSize = 16 << 10
	// enough is how much is held at most, and less than a write more.
	enough = 4 * recordSize
	// pieceSize is how much the server of HTTP/2 gathers itself. What is longer it writes at once.
	pieceSize = 4 << 10
)

// records are buffers for a record and what comes after it.
var records = sync.Pool{New: func() any { b := make([]byte, 0, recordSize+pieceSize); return &b }}

func newJoined(to io.Writer) *joined {
	j := &joined{to: to}
	j.timer = time.AfterFunc(holdTime, j.late)
	j.timer.Stop()
	return j
}

// Write implements io.Writer. It may return before p is on its way. What goes wrong then is told by
// a later Write.
func (j *joined) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return 0, j.err
	}
	for rest := p; len(rest) > 0; {
		rest, _ = j.frames.next(rest)
	}
	more := j.goesOn()
	if j.held == nil {
		if !more && len(p) < pieceSize {
			// The connection has nothing else to write. That may change while those run who are
			// ready to; without this each would find that the one before has just been served.
			runtime.Gosched()
		}
		if !more && j.frames.whole() {
			return j.to.Write(p)
		}
		j.held = records.Get().(*[]byte)
	}
	*j.held = append(*j.held, p...)
	var err error
	if len(*j.held) >= enough || !more && j.frames.whole() {
		err = j.send(more)
	}
	if more && j.held != nil && !j.armed {
		j.armed = true
		j.timer.Reset(holdTime)
	}
	return len(p), err
}

// goesOn says whether more will follow at once behind the last frame. Behind headers there is a
// body. A short answer comes to its end. A frame of the longest kind is a piece of something
// longer. One that a client's window cuts short is not of that kind, so nothing waits for that.
func (j *joined) goesOn() bool {
	f := &j.frames
	switch {
	case !f.whole():
		return false
	case f.kind == http2.FrameHeaders:
		return f.flags.Has(http2.FlagHeadersEndHeaders) && !f.flags.Has(http2.FlagHeadersEndStream)
	case f.kind == http2.FrameData:
		return !f.flags.Has(http2.FlagDataEndStream) && (f.size >= frameSize || j.short.Load() > 0)
	}
	return false
}

// send sends what makes whole records, or everything if the last frame is whole and no more
// follows.
func (j *joined) send(more bool) error {
	all := *j.held
	n := len(all)
	if more || !j.frames.whole() {
		n -= n % recordSize
	}
	if n == 0 {
		return nil
	}
	_, j.err = j.to.Write(all[:n])
	if *j.held = append(all[:0], all[n:]...); n == len(all) {
		records.Put(j.held)
		j.held = nil
	}
	return j.err
}

// late sends what has been held for too long.
func (j *joined) late() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.armed = false; j.held != nil {
		j.send(false)
	}
}

// writesShort says that an answer is written from now on until end is called, and that it ends when
// the handler does.
func (j *joined) writesShort() (end func()) {
	j.short.Add(1)
	return func() { j.short.Add(-1) }
}
