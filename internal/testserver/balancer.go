package testserver

import (
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"sync"
)

// Balancer forwards TCP connections to some servers, each to one chosen at random. A server that
// does not listen is passed over. It does not end TLS.
type Balancer struct {
	// URL is where it listens.
	URL string

	listener net.Listener
	mu       sync.Mutex // guards targets and behind
	targets  map[int]string
	behind   map[string]int // the server of each connection, by the address of its client
}

// NewBalancer listens on loopback until Close.
func NewBalancer() (*Balancer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &Balancer{URL: "https://" + listener.Addr().String(), listener: listener, targets: map[int]string{}, behind: map[string]int{}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go b.forward(conn)
		}
	}()
	return b, nil
}

// Close ends the listening. Connections go on.
func (b *Balancer) Close() error { return b.listener.Close() }

// Point makes a URL the n-th server.
func (b *Balancer) Point(n int, url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.targets[n] = url[len("https://"):]
}

// Behind says which server a connection goes to, given the client's address of it.
func (b *Balancer) Behind(client net.Addr) (n int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok = b.behind[client.String()]
	return n, ok
}

func (b *Balancer) forward(conn net.Conn) {
	defer conn.Close()
	b.mu.Lock()
	targets := maps.Clone(b.targets)
	b.mu.Unlock()
	for _, n := range rand.Perm(len(targets)) {
		server, err := net.Dial("tcp", targets[n])
		if err != nil {
			continue
		}
		b.join(conn, server, n)
		return
	}
}

// join copies in both directions. Whichever end breaks first, both are closed.
func (b *Balancer) join(conn, server net.Conn, n int) {
	client := conn.RemoteAddr().String()
	b.mu.Lock()
	b.behind[client] = n
	b.mu.Unlock()
	go func() {
		defer server.Close()
		io.Copy(server, conn)
	}()
	io.Copy(conn, server)
	server.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.behind, client)
}
