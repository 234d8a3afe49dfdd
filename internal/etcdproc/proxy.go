package etcdproc

import (
	"fmt"
	"net"
	"sync"
)

// Mode is what a proxy does with connections.
type Mode int

const (
	// Open lets everything through.
	Open Mode = iota
	// Cut resets connections, those that are there and those that come.
	Cut
	// Blackhole keeps connections, takes new ones, and lets nothing through, not even an end:
	// whoever is connected learns nothing. What was on its way gets through when the proxy is
	// opened again.
	Blackhole
)

// Proxy stands between a member and those who talk to it.
type Proxy struct {
	listener net.Listener
	socket   string
	peers    bool // members are on the other side, who say which they are

	mu      sync.Mutex // guards the fields below
	all     Mode
	from    map[string]Mode // by member
	links   map[*link]bool
	changed chan struct{} // closed when all, from or a link's source or cut changes
	closed  bool
	serving sync.WaitGroup
}

// newProxy listens on a port of 127.0.0.1, 0 for a free one, and forwards to a unix socket.
func newProxy(port int, socket string, peers bool) (*Proxy, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, socket: socket, peers: peers,
		from: map[string]Mode{}, links: map[*link]bool{}, changed: make(chan struct{})}
	p.serving.Go(p.accept)
	return p, nil
}

// Addr is host:port of the proxy.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Set puts all connections, those that are there and those that come, into mode.
func (p *Proxy) Set(mode Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = mode
	clear(p.from)
	p.enforce()
}

// setFrom puts the connections that come from one member into mode. Set undoes it.
func (p *Proxy) setFrom(member string, mode Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from[member] = mode
	p.enforce()
}

// enforce makes links notice a change. It is called with mu held.
func (p *Proxy) enforce() {
	for l := range p.links {
		if p.mode(l) == Cut {
			l.reset()
		}
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// mode is called with mu held.
func (p *Proxy) mode(l *link) Mode {
	if p.all != Open || l.source == "" {
		return p.all
	}
	return p.from[l.source]
}

// pass waits until something may go through l, and says if it ever may.
func (p *Proxy) pass(l *link) bool {
	for {
		p.mu.Lock()
		mode, changed, over := p.mode(l), p.changed, p.closed || l.over
		p.mu.Unlock()
		switch {
		case over || mode == Cut:
			return false
		case mode == Open:
			return true
		}
		<-changed
	}
}

// accept runs until the proxy is closed.
func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		l := &link{outside: conn.(*net.TCPConn)}
		p.mu.Lock()
		p.links[l] = true
		p.mu.Unlock()
		p.serving.Go(func() { p.serve(l) })
	}
}

func (p *Proxy) serve(l *link) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		l.reset()
		delete(p.links, l)
	}()
	if !p.pass(l) {
		return
	}
	inside, err := net.Dial("unix", p.socket)
	if err != nil {
		return // the member does not run: its client gets a reset, which is almost what a closed port says
	}
	p.mu.Lock()
	l.inside = inside
	if l.over || p.closed {
		l.reset()
	}
	p.mu.Unlock()
	back := make(chan struct{})
	go func() {
		defer close(back)
		p.copy(l, l.outside, inside, nil)
	}()
	var from *sniffer
	if p.peers {
		from = &sniffer{}
	}
	p.copy(l, inside, l.outside, from)
	<-back
}

// copy brings what src sends to dst until one of them ends, and then ends the link.
func (p *Proxy) copy(l *link, dst, src net.Conn, from *sniffer) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		l.end()
		// The other direction may be waiting to pass.
		close(p.changed)
		p.changed = make(chan struct{})
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := src.Read(buffer)
		if from != nil {
			if source := from.next(buffer[:n]); source != "" {
				p.mu.Lock()
				l.source = source
				p.mu.Unlock()
				from = nil
			}
		}
		// An end is news, too: it waits like bytes.
		if !p.pass(l) {
			return
		}
		if _, writeErr := dst.Write(buffer[:n]); writeErr != nil || err != nil {
			return
		}
	}
}

// close resets all connections and returns when nothing of the proxy runs.
func (p *Proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for l := range p.links {
		l.reset()
	}
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	p.serving.Wait()
}
