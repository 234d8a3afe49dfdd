package server_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/internal/server"
)

// pipes is a listener whose connections stay in this process, for a clock that is not the real one.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// TestUnfinishedConnections cuts off whoever begins a handshake, a connection or a request and does
// not go on. That is after ten seconds, also if a byte comes now and then. A watch and a connection
// on which nothing is asked are not cut off.
func TestUnfinishedConnections(t *testing.T) {
	headers := func() []byte {
		var block strings.Builder
		encoder := hpack.NewEncoder(&block)
		for _, f := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", booksPath + "?watch=1"}, {"test-user", "admin"}} {
			encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
		}
		return []byte(block.String())
	}()
	begin := func(conn net.Conn) *http2.Framer {
		io.WriteString(conn, http2.ClientPreface)
		framer := http2.NewFramer(conn, conn)
		framer.WriteSettings()
		return framer
	}
	for _, tc := range []struct {
		name   string
		proto  string // "" begins no TLS
		talk   func(net.Conn)
		within time.Duration
	}{
		{"no handshake", "", func(net.Conn) {}, 10 * time.Second},
		{"half a handshake", "", func(conn net.Conn) { io.WriteString(conn, "\x16\x03\x01\x02\x00\x01") }, 10 * time.Second},
		{"slow headers of HTTP/1.1", "http/1.1", func(conn net.Conn) {
			io.WriteString(conn, "GET / HTTP/1.1\r\n")
			trickle(conn, "x: y\r\n")
		}, 10 * time.Second},
		{"no preface", "h2", func(net.Conn) {}, 10 * time.Second},
		{"half a preface", "h2", func(conn net.Conn) { io.WriteString(conn, "PRI * HTTP") }, 10 * time.Second},
		{"headers without an end", "h2", func(conn net.Conn) {
			begin(conn).WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers, EndStream: true})
		}, 10 * time.Second},
		{"headers that go on", "h2", func(conn net.Conn) {
			framer := begin(conn)
			framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers, EndStream: true})
			for time.Sleep(time.Second); framer.WriteContinuation(1, false, nil) == nil; time.Sleep(time.Second) {
			}
		}, 10 * time.Second},
		{"half a frame of headers", "h2", func(conn net.Conn) {
			begin(conn)
			io.WriteString(conn, "\x00\x01\x00\x01\x05\x00\x00\x00\x01")
			trickle(conn, "\x82")
		}, 10 * time.Second},
		{"headers beside a watch", "h2", func(conn net.Conn) {
			framer := begin(conn)
			framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers, EndStream: true, EndHeaders: true})
			framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: headers, EndStream: true})
		}, 10 * time.Second},
		{"nothing is asked", "h2", func(conn net.Conn) { begin(conn) }, 90 * time.Second},
		{"a watch", "h2", func(conn net.Conn) {
			begin(conn).WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers, EndStream: true, EndHeaders: true})
		}, time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ca := certtest.New(t)
			synctest.Test(t, func(t *testing.T) {
				c := config(t, books())
				c.WatchTimeout = 2 * time.Hour
				listener := newPipes()
				ctx, stop := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() {
					served <- newServer(t, c).Serve(ctx, listener, &tls.Config{Certificates: []tls.Certificate{*ca.Server(t)}})
				}()
				conn := listener.dial()
				if tc.proto != "" {
					secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{tc.proto}, Time: time.Now})
					if err := secure.Handshake(); err != nil {
						t.Fatal(err)
					}
					conn = secure
				}
				started := time.Now()
				var talk sync.WaitGroup
				talk.Go(func() { tc.talk(conn) })
				conn.SetReadDeadline(time.Now().Add(time.Hour))
				_, err := io.Copy(io.Discard, conn)
				if took := time.Since(started); took < tc.within-time.Second || took > tc.within+2*time.Second {
					t.Errorf("ended after %v with %v, want %v", took, err, tc.within)
				}
				conn.Close()
				talk.Wait()
				stop()
				if err := <-served; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// trickle sends text every second, as long as somebody takes it.
func trickle(conn net.Conn, text string) {
	for time.Sleep(time.Second); ; time.Sleep(time.Second) {
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
	}
}

// TestCipherSuites: TLS 1.2 has no suite with CBC, and still one that clients of it know.
func TestCipherSuites(t *testing.T) {
	r := serve(t, newServer(t, config(t, books())))
	address := strings.TrimPrefix(r.url, "https://")
	for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		if !slices.Contains(suite.SupportedVersions, tls.VersionTLS12) {
			continue
		}
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}})
		if err == nil {
			conn.Close()
		}
		// The key of the certificate is one for ECDSA.
		if want := strings.HasPrefix(suite.Name, "TLS_ECDHE_ECDSA_") && !strings.Contains(suite.Name, "CBC") && !suite.Insecure; (err == nil) != want {
			t.Errorf("%s is offered: %v, want %v", suite.Name, err == nil, want)
		}
	}
}

// TestWaiting: before there is a server everybody hears why, at once and by any protocol, and then
// the server.
func TestWaiting(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ca := certtest.New(t)
	secure := &tls.Config{Certificates: []tls.Certificate{*ca.Server(t)}}
	waiting, err := server.Wait(listener, secure, "its etcd is not there", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	url := "https://" + listener.Addr().String()
	clients := map[int]*http.Client{}
	for _, proto := range []int{1, 2} {
		transport := &http.Transport{ForceAttemptHTTP2: proto == 2, TLSClientConfig: &tls.Config{RootCAs: ca.Pool()}}
		t.Cleanup(transport.CloseIdleConnections)
		clients[proto] = &http.Client{Transport: transport}
	}
	ask := func(proto int, method, path string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequest(method, url+path, strings.NewReader(`{"kind":"Book"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Test-User", "admin")
		resp, err := clients[proto].Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.ProtoMajor != proto {
			t.Errorf("HTTP/%d: %v", resp.ProtoMajor, err)
		}
		return resp, string(body)
	}
	for proto := range clients {
		for _, path := range []string{"/", "/readyz", "/healthz", "/version", "/apis", booksPath, "/nosuchthing"} {
			resp, body := ask(proto, http.MethodPost, path)
			var status metav1.Status
			if err := json.Unmarshal([]byte(body), &status); err != nil || resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "1" ||
				!apierrors.IsServiceUnavailable(&apierrors.StatusError{ErrStatus: status}) || status.Message != "the server is starting: its etcd is not there" {
				t.Errorf("%s: %v, %v, %s", path, resp.Status, err, body)
			}
		}
		if resp, body := ask(proto, http.MethodGet, "/livez"); resp.StatusCode != 200 || body != "ok" {
			t.Errorf("/livez: %s %s", resp.Status, body)
		}
	}
	waiting.Say("it reads")
	if _, body := ask(2, http.MethodGet, "/apis"); !strings.Contains(body, "starting: it reads") {
		t.Error(body)
	}
	if err := waiting.End(); err != nil {
		t.Fatal(err)
	}

	// Who connects now is answered by the server, when there is one.
	type answer struct {
		code int
		err  error
	}
	early := make(chan answer, 1)
	go func() {
		resp, err := clients[1].Get(url + "/livez?early")
		if err == nil {
			resp.Body.Close()
			early <- answer{resp.StatusCode, nil}
			return
		}
		early <- answer{0, err}
	}()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- newServer(t, config(t, books())).Serve(ctx, listener, secure) }()
	if a := <-early; a.err != nil || a.code != 200 {
		t.Errorf("a client between both: %+v", a)
	}
	for proto := range clients {
		if resp, body := ask(proto, http.MethodGet, booksPath); resp.StatusCode != 200 {
			t.Errorf("the server: %s %s", resp.Status, body)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestWaitingIsCutShort: the listener may be closed under it, as when a start fails.
func TestWaitingIsCutShort(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := server.Wait(listener, nil, "it fails", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if err := waiting.End(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
}
