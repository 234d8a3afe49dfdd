package etcd3

import (
	"context"
	"net"
	"strings"
	"sync"
)

// lines are the connections to a cluster, by address, so that those to one member can be cut. The
// zero value is ready.
type lines struct {
	mu   sync.Mutex // guards open
	open map[*line]bool
}

// line is one connection. It leaves the lines when it is closed.
type line struct {
	net.Conn
	lines   *lines
	address string
}

// dial is what gRPC calls for a connection. Unlike gRPC's own dialer it takes no HTTP proxy from
// the environment.
func (l *lines) dial(ctx context.Context, address string) (net.Conn, error) {
	network, where := "tcp", address
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, where = "unix", strings.TrimPrefix(path, "//")
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, where)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[*line]bool{}
	}
	c := &line{conn, l, address}
	l.open[c] = true
	return c, nil
}

// cut closes the connections to address. Requests on them fail as they do when a member dies, and
// watches go on with another member, from where they were.
func (l *lines) cut(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if c.address == address {
			c.Conn.Close()
			delete(l.open, c)
		}
	}
}

// Close implements net.Conn.
func (c *line) Close() error {
	c.lines.mu.Lock()
	delete(c.lines.open, c)
	c.lines.mu.Unlock()
	return c.Conn.Close()
}
