package e2e

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestDescriptors lets a server have 1,024 file descriptors, and opens twice as many connections
// that say nothing. Who is connected goes on to read and write, also when etcd wants new files. Who
// comes later is served when the others have gone.
func TestDescriptors(t *testing.T) {
	const most, connections = 1024, 2 * 1024
	dir := t.TempDir()
	s := startProgram(t, wrapped(t, fmt.Sprintf("ulimit -n %d", most)), dir, ownKinds()...)
	s.mustCreate(t, "first")
	address := strings.TrimPrefix(s.URL, "https://")
	var idle []net.Conn
	for range connections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("connection %d: %v", len(idle), err)
		}
		defer conn.Close()
		idle = append(idle, conn)
	}

	// etcd makes a snapshot of its log after each 1,000 writes.
	failed, acknowledged := 0, 0
	for n := range 1500 {
		code, body, err := s.do(http.MethodPost, books, "application/json", book(fmt.Sprintf("book-%d", n)))
		if err != nil || code != http.StatusCreated {
			if failed++; failed <= 3 {
				t.Errorf("create %d: %d %s %v", n, code, body, err)
			}
			continue
		}
		acknowledged++
	}
	for _, conn := range idle {
		conn.Close()
	}
	gone := time.Now()
	for s.knock() != nil {
		if time.Since(gone) > hangs {
			t.Fatalf("no new connection %v after the others have gone:\n%s", hangs, s.output)
		}
		time.Sleep(10 * time.Millisecond)
	}
	drill.Descriptors.Worst("new clients again", time.Since(gone))
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v:\n%s", err, s.output)
	}
	s = start(t, dir)
	lost := acknowledged + 1 - len(names(t, s))
	if lost != 0 {
		t.Errorf("%d of %d books are lost", lost, acknowledged+1)
	}
	drill.Descriptors.Count("connections", len(idle))
	drill.Descriptors.Count("acknowledged writes", acknowledged)
	drill.Descriptors.Count("failed calls", failed)
	drill.Descriptors.Count("writes lost", lost)
}

// knock makes a connection of its own, up to the end of the handshake.
func (s *server) knock() error {
	config := s.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Second}, "tcp", strings.TrimPrefix(s.URL, "https://"), config)
	if err != nil {
		return err
	}
	return conn.Close()
}
