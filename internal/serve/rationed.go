package serve

import (
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// kept is how many of its file descriptors the process keeps for itself. They are for the files of
// etcd, which ends where it can't open one, for the audit log, and for calls of others.
const kept = 256

// places is how many connections there may be, of a process that may have so many descriptors; 0
// stands for no bound.
func places(descriptors uint64) int {
	const unbounded = 1 << 30
	if descriptors == 0 || descriptors > unbounded {
		return 0
	}
	return int(descriptors - min(kept, descriptors/2))
}

// rationed is a listener with a bound of connections. Further ones wait in the kernel until another
// has gone: those that say nothing are closed after ten seconds. Its methods may be called from any
// goroutine.
type rationed struct {
	listener
	log *slog.Logger

	taken chan struct{} // one for each connection, and for a call of Accept

	mu       sync.Mutex    // guards the fields below
	deadline chan struct{} // closed while the deadline has passed
	closed   bool
	told     time.Time // that all places are taken
}

// listener is what the listeners of package net are.
type listener interface {
	net.Listener
	SetDeadline(time.Time) error
}

// ration bounds a listener; with 0 there is no bound.
func ration(l listener, most int, log *slog.Logger) listener {
	if most == 0 {
		return l
	}
	return &rationed{listener: l, log: log, taken: make(chan struct{}, most), deadline: make(chan struct{})}
}

// Accept implements net.Listener.
func (r *rationed) Accept() (net.Conn, error) {
	if err := r.take(); err != nil {
		return nil, err
	}
	conn, err := r.listener.Accept()
	if err != nil {
		<-r.taken
		return nil, err
	}
	return &placed{Conn: conn, leave: sync.OnceFunc(func() { <-r.taken })}, nil
}

// take waits for a place.
func (r *rationed) take() error {
	select {
	case r.taken <- struct{}{}:
		return nil
	default:
	}
	ended := r.wait()
	select {
	case r.taken <- struct{}{}:
		return nil
	case <-ended:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return net.ErrClosed
	}
	return os.ErrDeadlineExceeded
}

// wait says once a minute that nobody comes in, and returns what ends the waiting.
func (r *rationed) wait() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.told) > time.Minute {
		r.told = time.Now()
		r.log.Warn("new connections wait until others have gone: there are as many as the process may have, without the file descriptors that it needs itself; allow it more of them (ulimit -n, LimitNOFILE=)", "connections", cap(r.taken), "kept", kept)
	}
	return r.deadline
}

// SetDeadline is that of the listener, and ends the waiting for a place if it has passed.
func (r *rationed) SetDeadline(at time.Time) error {
	r.mu.Lock()
	passed := !at.IsZero() && !at.After(time.Now())
	r.end(passed)
	r.mu.Unlock()
	return r.listener.SetDeadline(at)
}

// Close implements net.Listener.
func (r *rationed) Close() error {
	r.mu.Lock()
	r.closed = true
	r.end(true)
	r.mu.Unlock()
	return r.listener.Close()
}

// end ends the waiting, or lets it begin again. The caller holds mu.
func (r *rationed) end(passed bool) {
	select {
	case <-r.deadline:
		if !passed && !r.closed {
			r.deadline = make(chan struct{})
		}
	default:
		if passed {
			close(r.deadline)
		}
	}
}

// placed is a connection that gives its place back when it is closed.
type placed struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (p *placed) Close() error {
	defer p.leave()
	return p.Conn.Close()
}
