package serve

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// TestRationed: behind the last place a connection waits until another has gone. A deadline and the
// end of the listener end the waiting.
func TestRationed(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	l := ration(inner.(listener), 2, slog.New(slog.NewTextHandler(&said, nil)))
	type accepted struct {
		conn net.Conn
		err  error
	}
	results := make(chan accepted)
	accept := func() {
		conn, err := l.Accept()
		results <- accepted{conn, err}
	}
	connect := func() {
		t.Helper()
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
	}
	var in []net.Conn
	for range 2 {
		connect()
		go accept()
		a := <-results
		if a.err != nil {
			t.Fatal(a.err)
		}
		in = append(in, a.conn)
	}

	connect()
	go accept()
	select {
	case a := <-results:
		t.Fatalf("a third was accepted: %v", a)
	case <-time.After(50 * time.Millisecond):
	}
	in[0].Close()
	in[0].Close() // gives its place back once
	if a := <-results; a.err != nil {
		t.Fatal(a.err)
	}
	if n := strings.Count(said.String(), "new connections wait until others have gone"); n != 1 {
		t.Errorf("it said %q", &said)
	}

	go accept()
	l.SetDeadline(time.Unix(1, 0))
	if a := <-results; !errors.Is(a.err, os.ErrDeadlineExceeded) {
		t.Errorf("at the deadline: %v", a.err)
	}
	l.SetDeadline(time.Time{})
	go accept()
	select {
	case a := <-results:
		t.Fatalf("without a place and a deadline: %v", a)
	case <-time.After(50 * time.Millisecond):
	}
	l.Close()
	if a := <-results; !errors.Is(a.err, net.ErrClosed) {
		t.Errorf("at the end: %v", a.err)
	}
}

func TestPlaces(t *testing.T) {
	for descriptors, want := range map[uint64]int{0: 0, 100: 50, 1024: 768, 20000: 19744, 1 << 63: 0} {
		if got := places(descriptors); got != want {
			t.Errorf("%d of %d descriptors, want %d", got, descriptors, want)
		}
	}
}
