// Package apitest runs an API server inside a test: the very server that a program serves, with its
// kinds, its rules and its TLS, but on a free port and with its objects in memory.
//
//	func TestBooks(t *testing.T) {
//		server := apitest.Start(t, library.Server())
//		config, err := clientcmd.RESTConfigFromKubeConfig(server.Kubeconfig)
//		…
//	}
//
// It knows no client: what it returns is what every client can be configured with. Start reading at
// Start.
package apitest

import (
	"context"
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

// Server is a server that runs until its test ends. It may be used from any goroutine.
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
}

// Option changes how the server runs. Every option of the program can be set.
type Option func(*typeplane.Options)

// Embedded keeps the objects in an etcd in the test's process, with its files in a directory of the
// test. It takes longer to start, and shows what only a real etcd does.
func Embedded(o *typeplane.Options) { o.Store.InMemory = false }

// Start runs the server of a program until the test and its subtests end, and returns when it
// answers requests. What the server logs is in the test's output. A server that can't start, or
// that does not stop in good order, fails the test.
func Start(t testing.TB, program typeplane.Server, options ...Option) *Server {
	t.Helper()
	o := typeplane.NewOptions(program.Name)
	o.Serving.SecurePort = 0
	o.Store.DataDir, o.Store.InMemory = t.TempDir(), program.Storage == nil
	o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	for _, option := range options {
		option(o)
	}
	ctx, stop := context.WithCancel(context.Background())
	instance, err := typeplane.Open(ctx, program, o)
	if err != nil {
		stop()
		t.Fatalf("start %s: %v", program.Name, err)
	}
	served := make(chan error, 1)
	go func() { served <- instance.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("%s: %v", program.Name, err)
		}
	})
	return connect(t, instance)
}

// connect makes what a test reaches an instance with.
func connect(t testing.TB, instance *typeplane.Instance) *Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := instance.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	config, err := instance.AdminTLS()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := os.ReadFile(instance.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	s := &Server{
		URL:            instance.URL(),
		Kubeconfig:     kubeconfig,
		KubeconfigFile: instance.Kubeconfig(),
		Client:         &http.Client{Transport: transport},
	}
	// A transport that was used has changed its TLSClientConfig, and tests copy that of the client.
	probe := &http.Transport{TLSClientConfig: config.Clone(), ForceAttemptHTTP2: true}
	defer probe.CloseIdleConnections()
	waitReady(ctx, t, &http.Client{Transport: probe}, s.URL)
	return s
}

// waitReady waits for what follows the objects of others, like roles and webhooks, to have seen all
// that there is.
func waitReady(ctx context.Context, t testing.TB, client *http.Client, url string) {
	t.Helper()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("the server is not ready: %v", err)
		}
		answer, _ := io.ReadAll(resp.Body) // for the message only
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the server is not ready: %s", answer)
		case <-time.After(time.Millisecond):
		}
	}
}
