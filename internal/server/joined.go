package server

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
)

// joined is what a connection of HTTP/2 writes to. It sends the headers of an answer, its body and
// its end together, if that is short. net/http flushes after each of them. Each is a record of TLS
// and a system call then, and these are a third of what a get costs.
type joined struct {
	to net.Conn
	// short is how many handlers are just writing an answer whose end comes at once.
	short atomic.Int32

	mu     sync.Mutex // guards the fields below
	frames frames
	held   []byte // what is not sent yet
	timer  *time.Timer
	armed  bool
	err    error // of a write that nobody waited for
}

const (
	// holdTime is how long something is held at most, in case that nothing comes behind it.
	holdTime = 5 * time.Millisecond
	// maxHeld is what goes into one record of TLS.
	maxHeld = 16 << 10
)

func newJoined(to net.Conn) *joined {
	j := &joined{to: to}
	j.timer = time.AfterFunc(holdTime, j.late)
	j.timer.Stop()
	return j
}

// Write implements io.Writer.
func (j *joined) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return 0, j.err
	}
	if len(j.held)+len(p) >= maxHeld {
		if err := j.flush(); err != nil {
			return 0, err
		}
	}
	if more := j.goesOn(p); len(p) < maxHeld && (more || len(j.held) > 0) {
		j.held = append(j.held, p...)
		if !more {
			return len(p), j.flush()
		}
		if !j.armed {
			j.armed = true
			j.timer.Reset(holdTime)
		}
		return len(p), nil
	}
	return j.to.Write(p)
}

// goesOn follows the frames in p, and says whether more will follow at once: behind headers there
// is a body, and a short answer comes to its end.
func (j *joined) goesOn(p []byte) bool {
	for len(p) > 0 {
		p, _ = j.frames.next(p)
	}
	f := &j.frames
	switch {
	case !f.whole():
		return false
	case f.kind == http2.FrameHeaders:
		return f.flags.Has(http2.FlagHeadersEndHeaders) && !f.flags.Has(http2.FlagHeadersEndStream)
	case f.kind == http2.FrameData:
		return j.short.Load() > 0 && !f.flags.Has(http2.FlagDataEndStream)
	}
	return false
}

func (j *joined) flush() error {
	if len(j.held) == 0 {
		return nil
	}
	_, j.err = j.to.Write(j.held)
	j.held = j.held[:0]
	return j.err
}

// late sends what has been held for too long.
func (j *joined) late() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.armed = false
	j.flush()
}

type joinedKey struct{}

// with is a context for the requests of the connection.
func (j *joined) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, joinedKey{}, j)
}

// writingShort says that an answer is written from now on until end is called, and that it ends
// when the handler does.
func writingShort(ctx context.Context) (end func()) {
	j, _ := ctx.Value(joinedKey{}).(*joined)
	if j == nil {
		return func() {}
	}
	j.short.Add(1)
	return func() { j.short.Add(-1) }
}
