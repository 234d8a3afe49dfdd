// Package apitest runs an API server inside a test, on a free port and with its objects in
// memory. It is the server that the program serves, with the same kinds, rules and TLS.
//
// For a package of kinds gen prints a function API, which any test can import:
//
//	func TestOrders(t *testing.T) {
//		server := apitest.Start(t, typeplane.Server{Name: "shop", APIs: []typeplane.API{shop.API()}})
//		config, err := clientcmd.RESTConfigFromKubeConfig(server.Kubeconfig)
//		…
//	}
//
// Beside the main of a program it prints newServer, which tests in package main can call:
//
//	server := apitest.Start(t, newServer())
//
// It knows no client: every client can be configured with what it returns. Start reading at Start.
package apitest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/typeplane/typeplane"
)

// startTimeout is what a start may take on a machine that does much else; it takes milliseconds on
// one that does not.
const startTimeout = time.Minute

// Server is a server that runs until it is closed. It may be used from any goroutine.
type Server struct {
	// URL is where it is reached: https, on the loopback interface.
	URL string
	// Kubeconfig is a kubeconfig with the administrator's credentials:
	// clientcmd.RESTConfigFromKubeConfig reads it.
	Kubeconfig []byte
	// KubeconfigFile is a file with the same, for kubectl and other programs.
	KubeconfigFile string
	// Client sends requests as the administrator.
	Client *http.Client

	transport *http.Transport
	dir       string // of its own, "" if it is the test's
	stop      context.CancelFunc
	served    chan error
}

// Option changes how the server runs. Every option of the program can be set.
type Option func(*typeplane.Options)

// Embedded keeps the objects in an etcd in the test's process, with its files in a directory of the
// test. It takes longer to start, and shows what only a real etcd does. A program with a Storage of
// its own has no etcd: for it this changes nothing.
func Embedded(o *typeplane.Options) { o.Store.InMemory = false }

// Start runs the server of a program until the test and its subtests end, and returns when it
// answers requests. What the server logs is in the test's output. A server that can't start, or
// that does not stop in good order, fails the test. The objects of a program with a Storage of its
// own are there.
func Start(t testing.TB, program typeplane.Server, options ...Option) *Server {
	t.Helper()
	inTest := func(o *typeplane.Options) {
		o.Store.DataDir, o.Log = t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	s, err := New(program, append([]Option{inTest}, options...)...)
	if err != nil {
		t.Fatalf("start %s: %v", program.Name, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", program.Name, err)
		}
	})
	return s
}

// New is Start where there is no test, as in a TestMain. The caller closes the server. Its log is
// dropped unless an option takes it.
func New(program typeplane.Server, options ...Option) (_ *Server, err error) {
	s := &Server{served: make(chan error, 1)}
	o := typeplane.NewOptions(program.Name)
	o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory = 0, "", program.Storage == nil
	o.Log = slog.New(slog.DiscardHandler)
	for _, option := range options {
		option(o)
	}
	if o.Store.DataDir == "" {
		if s.dir, err = os.MkdirTemp("", program.Name+"-"); err != nil {
			return nil, err
		}
		o.Store.DataDir = s.dir
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	instance, err := typeplane.Open(ctx, program, o)
	if err != nil {
		stop()
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	go func() { s.served <- instance.Serve(ctx) }()
	if err := s.connect(instance); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close stops the server, and returns what went wrong in that. It is called once; Start calls it
// by itself.
func (s *Server) Close() error {
	if s.transport != nil {
		s.transport.CloseIdleConnections()
	}
	s.stop()
	err := <-s.served
	return errors.Join(err, os.RemoveAll(s.dir))
}

// connect makes what a test reaches an instance with.
func (s *Server) connect(instance *typeplane.Instance) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := instance.WaitReady(ctx); err != nil {
		return err
	}
	config, err := instance.AdminTLS()
	if err != nil {
		return err
	}
	s.URL, s.KubeconfigFile = instance.URL(), instance.Kubeconfig()
	if s.Kubeconfig, err = os.ReadFile(s.KubeconfigFile); err != nil {
		return err
	}
	s.transport = &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	s.Client = &http.Client{Transport: s.transport}
	// A transport that was used has changed its TLSClientConfig, and tests copy that of the client.
	probe := &http.Transport{TLSClientConfig: config.Clone(), ForceAttemptHTTP2: true}
	defer probe.CloseIdleConnections()
	return waitReady(ctx, &http.Client{Transport: probe}, s.URL)
}

// waitReady waits for what follows the objects of others, like roles and webhooks, to have seen all
// that there is.
func waitReady(ctx context.Context, client *http.Client, url string) error {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return fmt.Errorf("the server is not ready: %w", err)
		}
		answer, _ := io.ReadAll(resp.Body) // for the message only
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %s", answer)
		case <-time.After(time.Millisecond):
		}
	}
}
