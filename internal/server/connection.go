package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
)

// connection is one of HTTP/2. It gives the server of HTTP/2 one request at a time. While others of
// the connection are under way, the next one waits for a lull. So a connection that has many
// requests does not fill the queues of Go's scheduler with them, and those that it resets at once cost others
// nothing.
type connection struct {
	*tls.Conn
	headers *headerWatch
	out     *joined

	// rest is what was read and not given on yet. It is in kept.
	rest, kept []byte
	// underWay is how many requests were given on and are not answered. One that the server of
	// HTTP/2 refuses stays counted: its client has kept to no bound.
	underWay atomic.Int32
	// calmSince is from when on the client's resets are counted.
	calmSince time.Time
	// lasting is how many of them are watches that have begun.
	lasting atomic.Int32
}

// mostResets is how many streams a client may reset within a second: more than a connection has at
// a time, and less than somebody resets who means to keep the server busy.
const mostResets = 1000

func newConnection(conn *tls.Conn) *connection {
	return &connection{Conn: conn, headers: newHeaderWatch(headerTimeout, func() { conn.Close() }), out: newJoined(conn)}
}

// Read implements net.Conn. It returns no more than the headers of one request and what is before
// them.
func (c *connection) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return c.receive(p)
	}
	n := copy(p, c.rest)
	n, request := c.headers.see(p[:n])
	c.rest = c.rest[n:]
	return n, c.pace(request)
}

// receive is Read where nothing is left of what was read before.
func (c *connection) receive(p []byte) (int, error) {
	read, err := c.Conn.Read(p)
	n, request := c.headers.see(p[:read])
	if n < read {
		c.kept = append(c.kept[:0], p[n:read]...)
		c.rest, err = c.kept, nil // the connection remembers its error
	}
	return n, cmp.Or(err, c.pace(request))
}

// pace counts a request, and waits if the connection has others. The error ends the connection.
func (c *connection) pace(request bool) error {
	if now := time.Now(); c.headers.resets > 0 && now.Sub(c.calmSince) > time.Second {
		c.calmSince, c.headers.resets = now, 0
	}
	if c.headers.resets > mostResets {
		return http2.ConnectionError(http2.ErrCodeEnhanceYourCalm)
	}
	if request && c.underWay.Add(1)-c.lasting.Load() > 1 {
		lulls.wait()
	}
	return nil
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	return c.out.Write(p)
}

// counting is the handler, with its requests counted.
func (c *connection) counting(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer c.underWay.Add(-1)
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

// lasts says that a request goes on and costs little, until end is called.
func (c *connection) lasts() (end func()) {
	if c == nil {
		return func() {}
	}
	c.lasting.Add(1)
	return func() { c.lasting.Add(-1) }
}

// writesShort is that of what the connection writes to.
func (c *connection) writesShort() (end func()) {
	if c == nil {
		return func() {}
	}
	return c.out.writesShort()
}
