package transport

import (
	"context"
	"crypto/tls"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"

	"github.com/typeplane/typeplane/internal/server/pacing"
)

// connection is one of HTTP/2. It gives the server of HTTP/2 one request at a time. While others of
// the connection are under way, the next one waits for an idle moment. So it does behind one that
// was reset, which has not begun by then, and does not begin any more. So who sends many requests
// does not fill the queues of Go's scheduler.
type connection struct {
	*tls.Conn
	headers *headerTimer
	out     *coalescer

	// rest is what was read and not given on yet. It is in kept.
	rest, kept []byte
	row        row
	free       int // requests beside others that need not wait
	resets     resets
	reset      bool // a stream, since the last request
	// underWay is how many requests were given on and are not answered. One that the server of
	// HTTP/2 refuses stays counted: its client has kept to no bound.
	underWay atomic.Int32
	// lasting is how many of them are watches that have begun.
	lasting atomic.Int32
}

// freeAfterIdle is how many requests beside others go on with the one that has found the server
// idle. For that to wait costs more than it is good for.
const freeAfterIdle = 3

func newConnection(conn *tls.Conn) *connection {
	return &connection{Conn: conn, headers: newHeaderTimer(headerTimeout, func() { conn.Close() }), out: newCoalescer(conn)}
}

// Read implements net.Conn. It returns no more than the headers of one request and what is before
// them. An error of its own comes without bytes: beside those that the server of HTTP/2 asked for
// it would not be seen.
func (c *connection) Read(p []byte) (int, error) {
	n, got, err := c.receive(p)
	if over := c.pace(got); over != nil {
		return 0, over
	}
	return n, err
}

// receive is Read without waiting for more than bytes.
func (c *connection) receive(p []byte) (n int, got seen, err error) {
	if len(c.rest) > 0 {
		n, got = c.headers.see(p[:copy(p, c.rest)])
		c.rest = c.rest[n:]
		return n, got, nil
	}
	read, err := c.Conn.Read(p)
	n, got = c.headers.see(p[:read])
	if n < read {
		c.kept = append(c.kept[:0], p[n:read]...)
		c.rest, err = c.kept, nil // the connection remembers its error
	}
	return n, got, err
}

// pace waits where the connection has had enough for now. Its error ends the connection.
func (c *connection) pace(got seen) error {
	if got.reset {
		c.resets.count()
	}
	if got.request {
		wait, over := c.resets.pause()
		if over {
			return http2.ConnectionError(http2.ErrCodeEnhanceYourCalm)
		}
		time.Sleep(wait)
	}
	enough := c.row.tooLong(got.frames) || c.reset && got.request
	c.reset = c.reset && !got.request || got.reset
	if got.request && c.underWay.Add(1)-c.lasting.Load() > 1 {
		c.free--
		enough = enough || c.free < 0
	}
	if !enough {
		return nil
	}
	c.free = 0
	if pacing.WaitIdle() == pacing.Idle {
		c.free = freeAfterIdle
	}
	c.row = row{last: time.Now()}
	return nil
}

// row is frames that came without a pause. One after the other goes through two goroutines, which
// would keep a processor for themselves.
type row struct {
	last time.Time
	n    int
}

const (
	inARow = 16
	// pause is how long nothing came if others have had a turn, or could have.
	pause = 200 * time.Microsecond
)

func (r *row) tooLong(more int) bool {
	now := time.Now()
	if now.Sub(r.last) > pause {
		r.n = 0
	}
	r.last, r.n = now, r.n+more
	return r.n > inARow
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	return c.out.Write(p)
}

// counting is the handler, with its requests counted, and without those that were reset before they
// began.
func (c *connection) counting(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer c.underWay.Add(-1)
		if req.Context().Err() != nil {
			return
		}
		handler.ServeHTTP(w, req)
	})
}

type connectionKey struct{}

// with is a context for the requests of the connection.
func (c *connection) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// connectionOf is the connection of a request; nil if it is not one of HTTP/2.
func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// Lasting says that the request of ctx goes on and costs little, until end is called. The next
// request of its connection need not wait for it.
func Lasting(ctx context.Context) (end func()) {
	c := connectionOf(ctx)
	if c == nil {
		return func() {}
	}
	return c.lasts()
}

func (c *connection) lasts() (end func()) {
	c.lasting.Add(1)
	return func() { c.lasting.Add(-1) }
}

// WritingShort says that the answer to the request of ctx is written from now on until end is
// called, and that it ends when its handler does. So the connection waits for its end, and sends
// all of it at once.
func WritingShort(ctx context.Context) (end func()) {
	c := connectionOf(ctx)
	if c == nil {
		return func() {}
	}
	return c.out.writesShort()
}
