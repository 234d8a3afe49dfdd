package server_test

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
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
	code, _, end = watchWith(t, url, user, "")
	return code, end
}

// watchWith is watchAs with a label selector. It returns the reason of a refusal, too.
func watchWith(t *testing.T, url, user, selector string) (code int, reason string, end func()) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url+booksPath+"?watch=1&labelSelector="+selector, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Test-User", user)
	transport := &http.Transport{}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	end = func() {
		resp.Body.Close()
		transport.CloseIdleConnections()
	}
	if resp.StatusCode == http.StatusOK {
		return resp.StatusCode, "", end
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), end
}

// TestSelectorsOfAUserAreBounded: the selectors of a user's watches have 4 MiB together. A watch
// that ends makes room, and watches without selectors need none.
func TestSelectorsOfAUserAreBounded(t *testing.T) {
	s := quiet(t, func(c *server.Config) { c.MaxWatchesPerUser = 100 })
	ts := startPlain(t, s)
	var parts []string
	for i := range 1000 {
		parts = append(parts, strings.Repeat("k", 250)+"/"+strings.Repeat("n", 50)+fmt.Sprintf("%03d!=", i)+strings.Repeat("v", 60))
	}
	selector := strings.Join(parts, ",") // 367 KB
	var ends []func()
	defer func() {
		for _, end := range ends {
			end()
		}
	}()
	for i := range 11 {
		code, reason, end := watchWith(t, ts, "eve", selector)
		if ends = append(ends, end); code != http.StatusOK {
			t.Fatalf("watch %d: %d %s", i, code, reason)
		}
	}
	code, reason, end := watchWith(t, ts, "eve", selector)
	end()
	if code != http.StatusTooManyRequests || !strings.Contains(reason, "the selectors of your open watches have 4036989 bytes and may have 4194304: use shorter ones, or fewer watches") {
		t.Errorf("one too many: %d %s", code, reason)
	}
	for _, other := range [][2]string{{"eve", ""}, {"bob", selector}, {"admin", selector}} {
		code, reason, end := watchWith(t, ts, other[0], other[1])
		if ends = append(ends, end); code != http.StatusOK {
			t.Errorf("%s: %d %s", other[0], code, reason)
		}
	}
	ends[0]()
	for {
		code, _, end := watchWith(t, ts, "eve", selector)
		end()
		if code == http.StatusOK {
			return
		}
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
