package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/storage/embedded"
)

// TestRequestsWhileStarting: as long as etcd does not answer, everybody hears so at once; the
// server can be stopped, and has changed nothing.
func TestRequestsWhileStarting(t *testing.T) {
	frozen, asked := frozenEtcd(t)
	o := program.NewOptions("widgets")
	o.Store.DataDir = filepath.Join(t.TempDir(), "data")
	o.Store.EtcdServers = []string{"http://" + frozen}
	o.Serving.SecurePort = freePort(t)
	o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	ctx, stop := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() {
		_, err := Open(ctx, programtest.Widgets(), o)
		opened <- err
	}()
	<-asked // the listener is older

	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // nobody knows its authority yet
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for path, want := range map[string]int{"/livez": 200, "/readyz": 503, "/version": 503, widgetsPath: 503} {
		resp, err := client.Get("https://" + address(&o.Serving) + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		var status metav1.Status
		if resp.StatusCode != want || want == 503 && (json.Unmarshal(body, &status) != nil || status.Message != "the server is starting: its etcd is not open yet") {
			t.Errorf("%s: %s %s, want %d", path, resp.Status, body, want)
		}
	}
	stop()
	if err := <-opened; !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, err := os.Stat(o.Store.DataDir); !os.IsNotExist(err) {
		t.Errorf("there is a data directory of a server that never had its etcd: %v", err)
	}
}

// TestEtcdLostWhileStarting freezes an etcd in the middle of a start. The start waits until the
// etcd answers again, or until it is stopped.
func TestEtcdLostWhileStarting(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		t.Run(fmt.Sprint("stopped ", stopped), func(t *testing.T) {
			t.Parallel()
			socket, _, err := embedded.FindSocket(t.Context(), programtest.StartEtcd(t, nil).Dir)
			if err != nil {
				t.Fatal(err)
			}
			line := freezeAt(t, socket, "/.stored-versions")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			o := program.NewOptions("widgets")
			o.Store.DataDir, o.Store.EtcdServers, o.Serving.SecurePort = t.TempDir(), []string{"http://" + line.address}, 0
			o.Log = slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
				if bytes.Contains(p, []byte("the database became unavailable during the start")) {
					if stopped {
						stop()
					} else {
						line.thaw()
					}
				}
				return t.Output().Write(p)
			}), nil))
			i, err := Open(ctx, programtest.Widgets(), o)
			if stopped {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("stopped: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			stop()
			if err := i.Serve(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// frozenLine is an address in front of a socket. Nothing passes while it is frozen.
type frozenLine struct {
	address string
	mu      sync.Mutex
	passing chan struct{} // closed while it is not frozen
	frozen  bool          // it was, and is not again
	conns   []net.Conn
}

// cut closes all connections, because the etcd behind the line waits for them when it stops.
func (l *frozenLine) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		conn.Close()
	}
}

// freezeAt freezes the line as soon as a text was sent to the socket.
func freezeAt(t *testing.T, socket, text string) *frozenLine {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &frozenLine{address: listener.Addr().String(), passing: make(chan struct{})}
	t.Cleanup(func() {
		listener.Close()
		l.cut()
	})
	close(l.passing)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				client.Close()
				continue
			}
			l.mu.Lock()
			l.conns = append(l.conns, client, server)
			l.mu.Unlock()
			go l.copy(server, client, []byte(text))
			go l.copy(client, server, nil)
		}
	}()
	return l
}

func (l *frozenLine) copy(to, from net.Conn, text []byte) {
	defer to.Close()
	defer from.Close()
	for data := make([]byte, 64<<10); ; {
		n, err := from.Read(data)
		l.mu.Lock()
		if len(text) > 0 && !l.frozen && bytes.Contains(data[:n], text) {
			l.frozen, l.passing = true, make(chan struct{})
		}
		passing := l.passing
		l.mu.Unlock()
		<-passing
		if _, writeErr := to.Write(data[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

func (l *frozenLine) thaw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.passing)
}

// TestSecondServerChangesNothing: who starts a server on a directory that another one has leaves
// the first one's kubeconfig alone.
func TestSecondServerChangesNothing(t *testing.T) {
	i, _ := running(t, func(o *program.Options) { o.Store.InMemory = false })
	before, err := os.ReadFile(i.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	second := program.NewOptions("widgets")
	second.Serving.SecurePort, second.Store.DataDir = 0, filepath.Dir(i.Kubeconfig())
	if _, err := Open(t.Context(), programtest.Widgets(), second); err == nil {
		t.Fatal("two servers run on one directory")
	}
	if after, err := os.ReadFile(i.Kubeconfig()); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%v: the kubeconfig was %s\nand is %s", err, before, after)
	}
}

// frozenEtcd takes connections and says nothing. asked is closed with the first.
func frozenEtcd(t *testing.T) (address string, asked chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked = make(chan struct{})
	var conns []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if conns = append(conns, conn); len(conns) == 1 {
				close(asked)
			}
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
		for _, conn := range conns {
			conn.Close()
		}
	})
	return listener.Addr().String(), asked
}

// freePort is one that nobody had a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
