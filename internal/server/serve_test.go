package server_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

// running is a server over a real listener.
type running struct {
	url    string
	stop   context.CancelFunc
	done   chan error
	client *http.Client
}

func serve(t *testing.T, s *server.Server) running {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ca := certtest.New(t)
	ctx, cancel := context.WithCancel(context.Background())
	r := running{url: "https://" + listener.Addr().String(), stop: cancel, done: make(chan error, 1)}
	config := &tls.Config{Certificates: []tls.Certificate{*ca.Server(t)}}
	go func() { r.done <- s.Serve(ctx, listener, config) }()
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: ca.Pool()}}
	r.client = &http.Client{Transport: transport}
	t.Cleanup(func() {
		cancel()
		transport.CloseIdleConnections()
	})
	return r
}

func (r running) get(path string) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodGet, r.url+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Test-User", "admin")
	return r.client.Do(req)
}

func (r running) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(time.Minute):
		t.Fatal("Serve does not return")
		return nil
	}
}

func TestServe(t *testing.T) {
	r := serve(t, newServer(t, config(t, books())))
	resp, err := r.get("/version")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.ProtoMajor != 2 || resp.TLS.Version < tls.VersionTLS12 {
		t.Errorf("HTTP/%d over TLS %x", resp.ProtoMajor, resp.TLS.Version)
	}

	old := r.client.Transport.(*http.Transport).TLSClientConfig.Clone()
	old.MaxVersion = tls.VersionTLS11
	if conn, err := tls.Dial("tcp", r.url[len("https://"):], old); err == nil {
		_ = conn.Close()
		t.Error("TLS 1.1 is accepted")
	}
	r.stop()
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
	if resp, err := r.get("/version"); err == nil {
		_ = resp.Body.Close()
		t.Error("the listener is still open")
	}
}

// A client certificate is asked for, not required, and whoever has it is the user.
func TestServeAsksForCertificates(t *testing.T) {
	var got *tls.ConnectionState
	c := config(t, books())
	c.Authenticator = authenticatorFunc(func(req *http.Request) (*auth.User, error) {
		got = req.TLS
		return nil, nil
	})
	r := serve(t, newServer(t, c))
	for want, certs := range [][]tls.Certificate{nil, {*certtest.New(t).Client(t, "u")}} {
		r.client.Transport.(*http.Transport).TLSClientConfig.Certificates = certs
		r.client.CloseIdleConnections()
		resp, err := r.get("/livez")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if len(got.PeerCertificates) != want {
			t.Errorf("%d certificates arrived, want %d", len(got.PeerCertificates), want)
		}
	}
}

type authenticatorFunc func(*http.Request) (*auth.User, error)

func (f authenticatorFunc) Authenticate(req *http.Request) (*auth.User, error) { return f(req) }

// At the end readiness fails first, and everything is answered as before until the delay is over.
// Here that is never: it is the listener that ends the server.
func TestShutdownDelay(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, books())
	c.ShutdownDelay = time.Hour
	s := newServer(t, c)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener, nil) }()
	r := running{url: "http://" + listener.Addr().String(), client: http.DefaultClient}
	stop()
	for ready := http.StatusOK; ready != http.StatusInternalServerError; time.Sleep(time.Millisecond) {
		resp, err := r.get("/readyz")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if ready = resp.StatusCode; ready != http.StatusOK && ready != http.StatusInternalServerError {
			t.Fatalf("readyz: %d", ready)
		}
	}
	for _, path := range []string{"/livez", booksPath} {
		resp, err := r.get(path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	select {
	case err := <-served:
		t.Errorf("Serve returns in the delay: %v", err)
	default:
		_ = listener.Close()
		<-served
	}
}

// At the end watches end, and what is in flight is finished.
func TestGracefulStop(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	res := books()
	res.Get = getFunc(func(ctx context.Context, n rest.Name, _ metav1.GetOptions) (rest.View, error) {
		close(begun)
		<-finish
		return aBook(n.Name), ctx.Err()
	})
	r := serve(t, newServer(t, config(t, res)))

	watch, err := r.get(booksPath + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		code int
		err  error
	}
	inFlight := make(chan answer, 1)
	go func() {
		resp, err := r.get(bookPath)
		if err != nil {
			inFlight <- answer{err: err}
			return
		}
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		inFlight <- answer{resp.StatusCode, err}
	}()
	<-begun

	r.stop()
	if rest, err := io.ReadAll(watch.Body); err != nil || len(rest) != 0 {
		t.Errorf("the watch ends with %q, %v", rest, err)
	}
	select {
	case err := <-r.done:
		t.Fatalf("Serve returns with a request in flight: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(finish)
	if a := <-inFlight; a.err != nil || a.code != http.StatusOK {
		t.Errorf("the request in flight: %+v", a)
	}
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}

// A request that never ends can't keep the server from stopping.
func TestStopIsBounded(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	res := books()
	res.Get = getFunc(func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
		close(begun)
		<-release
		return aBook("b"), nil
	})
	c := config(t, res)
	c.ShutdownTimeout = 200 * time.Millisecond
	r := serve(t, newServer(t, c))
	go func() {
		if resp, err := r.get(bookPath); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-begun
	r.stop()
	if err := r.wait(t); err == nil {
		t.Error("nobody says that a request was cut off")
	}
}
