package server_test

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

// quiet is a server whose watches stay open until the client or the server ends them.
func quiet(t *testing.T, change func(*server.Config)) *server.Server {
	t.Helper()
	r := books()
	r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) {
		return &fakeStream{batches: make(chan []rest.Event)}, nil
	})
	c := config(t, r)
	c.Authorizer = auth.Everybody{}
	change(&c)
	return newServer(t, c)
}

// watchAs returns the code of the answer to a watch, which goes on until the test ends it.
func watchAs(t *testing.T, url, user string) (code int, end func()) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url+booksPath+"?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Test-User", user)
	transport := &http.Transport{}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, func() {
		resp.Body.Close()
		transport.CloseIdleConnections()
	}
}

// TestWatchesOfAUserAreBounded: a user who has too many gets 429, others do not, and one that ends
// makes room.
func TestWatchesOfAUserAreBounded(t *testing.T) {
	s := quiet(t, func(c *server.Config) { c.MaxWatchesPerUser = 2 })
	ts := startPlain(t, s)
	var ends []func()
	defer func() {
		for _, end := range ends {
			end()
		}
	}()
	for i, want := range map[int]int{0: 200, 1: 200} {
		code, end := watchAs(t, ts, "eve")
		ends = append(ends, end)
		if code != want {
			t.Errorf("watch %d: %d", i, code)
		}
	}
	if code, end := watchAs(t, ts, "eve"); code != http.StatusTooManyRequests {
		t.Errorf("one too many: %d", code)
		end()
	}
	for _, user := range []string{"bob", "admin", "admin", "admin"} {
		code, end := watchAs(t, ts, user)
		ends = append(ends, end)
		if code != http.StatusOK {
			t.Errorf("%s: %d", user, code)
		}
	}
	ends[0]()
	for {
		code, end := watchAs(t, ts, "eve")
		end()
		if code == http.StatusOK {
			return
		}
	}
}

// startPlain serves without TLS until the test ends, and returns the URL.
func startPlain(t *testing.T, s *server.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

// TestWatchesEndSpread: when the server stops, watches end at different times, and all within the
// bound.
func TestWatchesEndSpread(t *testing.T) {
	// Of 60 random times within 60 ms, the chance that all lie within 10 is none. But a machine
	// that stands still may see all of them at once, so it is tried a few times.
	spread := time.Duration(0)
	for n := 0; n < 20 && spread < 10*time.Millisecond; n++ {
		spread = stopSpread(t)
	}
	if spread < 10*time.Millisecond || spread > 30*time.Second {
		t.Errorf("all ended within %v", spread)
	}
}

// stopSpread stops a server with 60 watches, and returns how far apart they end.
func stopSpread(t *testing.T) time.Duration {
	t.Helper()
	const n = 60
	s := quiet(t, func(c *server.Config) { c.WatchDrain = time.Minute })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener, nil) }()
	ended := make(chan time.Time, n)
	for range n {
		req, _ := http.NewRequest(http.MethodGet, "http://"+listener.Addr().String()+booksPath+"?watch=1", nil)
		req.Header.Set("Test-User", "eve")
		resp, err := new(http.Transport).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = resp.Body.Read(make([]byte, 1))
			ended <- time.Now()
		}()
	}
	stop()
	first, last := time.Time{}, time.Time{}
	for range n {
		at := <-ended
		if first.IsZero() {
			first = at
		}
		last = at
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	return last.Sub(first)
}

// TestStreamsOfAConnectionAreBounded: what the Config says is in the SETTINGS that a client gets.
func TestStreamsOfAConnectionAreBounded(t *testing.T) {
	s := quiet(t, func(c *server.Config) { c.MaxStreams = 7 })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener, serverTLS(t)) }()
	defer func() { stop(); <-served }()
	conn, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 9)
	if _, err := io.ReadFull(conn, head); err != nil || head[3] != 4 {
		t.Fatalf("no SETTINGS: %v %x", err, head)
	}
	settings := make([]byte, int(head[1])<<8|int(head[2]))
	if _, err := io.ReadFull(conn, settings); err != nil {
		t.Fatal(err)
	}
	const maxConcurrentStreams = 3
	for ; len(settings) >= 6; settings = settings[6:] {
		if binary.BigEndian.Uint16(settings) == maxConcurrentStreams {
			if got := binary.BigEndian.Uint32(settings[2:]); got != 7 {
				t.Errorf("%d streams, want 7", got)
			}
			return
		}
	}
	t.Error("the number of streams is not bounded")
}

// serverTLS borrows the certificate of httptest.
func serverTLS(t *testing.T) *tls.Config {
	t.Helper()
	ts := httptest.NewUnstartedServer(nil)
	ts.StartTLS()
	defer ts.Close()
	return &tls.Config{Certificates: ts.TLS.Certificates}
}
