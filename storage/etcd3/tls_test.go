package etcd3_test

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// place is an authority, with what it signs for programs on this machine in files of a directory.
type place struct {
	*certtest.Authority
	dir, file string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{Authority: certtest.New(t), dir: t.TempDir()}
	p.file = p.Write(t, p.dir, "ca")
	return p
}

// pair makes a certificate for an etcd and for a client.
func (p *place) pair(t *testing.T, name string) (cert, key string) {
	t.Helper()
	return certtest.WritePair(t, p.dir, name, p.Issue(t, x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}))
}

// serveTLS starts an etcd with a certificate of a, that lets in clients with one of the authority
// clients.
func serveTLS(t *testing.T, a, clients *place) (endpoint string) {
	t.Helper()
	cert, key := a.pair(t, "server")
	return "https://" + serveEtcd(t, "https", transport.TLSInfo{CertFile: cert, KeyFile: key, TrustedCAFile: clients.file, ClientCertAuth: true})
}

// newPlainEtcd starts an etcd without TLS.
func newPlainEtcd(t *testing.T) (endpoint string) {
	t.Helper()
	return "http://" + serveEtcd(t, "http", transport.TLSInfo{})
}

func serveEtcd(t *testing.T, scheme string, secure transport.TLSInfo) (address string) {
	t.Helper()
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = t.TempDir(), "error", []string{os.DevNull}
	c.ListenPeerUrls = nil
	c.ListenClientUrls = []url.URL{{Scheme: scheme, Host: "127.0.0.1:0"}}
	c.AdvertiseClientUrls = c.ListenClientUrls
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	c.ClientTLSInfo = secure
	e, err := embed.StartEtcd(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	select {
	case <-e.Server.ReadyNotify():
	case <-time.After(time.Minute):
		t.Fatal("etcd is not ready")
	}
	return e.Clients[0].Addr().String()
}

// TestWrongTLS: what is wrong with a certificate, or with TLS itself, is said in words, with what
// would be right.
func TestWrongTLS(t *testing.T) {
	ours, foreign := newPlace(t), newPlace(t)
	way := newWay(t, serveTLS(t, ours, ours))
	endpoint := way.endpoint
	ctx := context.Background()
	cert, key := ours.pair(t, "client")
	foreignCert, foreignKey := foreign.pair(t, "client")
	good := etcd3.DialConfig{Endpoints: []string{"https://127.0.0.1:1", endpoint}, CAFile: ours.file, CertFile: cert, KeyFile: key}

	plain := newPlainEtcd(t)
	for name, tc := range map[string]struct {
		change func(*etcd3.DialConfig)
		want   string
	}{
		"another authority":        {func(c *etcd3.DialConfig) { c.CAFile = foreign.file }, "its certificate is of no authority in " + foreign.file},
		"the system's authorities": {func(c *etcd3.DialConfig) { c.CAFile = "" }, "of no authority that this machine trusts"},
		"no certificate":           {func(c *etcd3.DialConfig) { c.CertFile, c.KeyFile = "", "" }, "it wants a client certificate"},
		"a certificate of another": {func(c *etcd3.DialConfig) { c.CertFile, c.KeyFile = foreignCert, foreignKey }, "it does not take the client certificate " + foreignCert},
		"another name": {func(c *etcd3.DialConfig) {
			c.Endpoints = []string{strings.Replace(endpoint, "127.0.0.1", "localhost", 1)}
		}, "its certificate is not good"},
		"no TLS where there is": {func(c *etcd3.DialConfig) {
			*c = etcd3.DialConfig{Endpoints: []string{strings.Replace(endpoint, "https", "http", 1)}, Timeout: c.Timeout}
		}, "it speaks TLS: name it as " + endpoint},
		"TLS where there is none": {func(c *etcd3.DialConfig) {
			c.Endpoints = []string{strings.Replace(plain, "http", "https", 1)}
		}, "it speaks without TLS: name it as " + plain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := good
			// What no waiting mends is said long before the time is over.
			config.Endpoints, config.Timeout = good.Endpoints[1:], 5*time.Minute
			tc.change(&config)
			soon, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			client, err := etcd3.Dial(soon, config)
			if err == nil {
				client.Close()
				t.Fatal("connected")
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error %q does not say %q", err, tc.want)
			}
		})
	}
}

func TestTLSCertificatesAreReplaced(t *testing.T) {
	ours := newPlace(t)
	way := newWay(t, serveTLS(t, ours, ours))
	endpoint := way.endpoint
	ctx := context.Background()
	cert, key := ours.pair(t, "client")
	good := etcd3.DialConfig{Endpoints: []string{"https://127.0.0.1:1", endpoint}, CAFile: ours.file, CertFile: cert, KeyFile: key}

	// One endpoint is down, which must not matter.
	begin := time.Now()
	client, err := etcd3.Dial(ctx, good)
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("to connect took %v with one of two endpoints down", took)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	st := etcd3.New(client, etcd3.Config{Root: "/registry"})
	if _, err := st.Create(ctx, "/pods/a", []byte("x")); err != nil {
		t.Fatal(err)
	}

	// Certificates are replaced while the client runs: here is an etcd that only lets in whoever
	// has a new one.
	newer := newPlace(t)
	newer.pair(t, "client")
	other := serveTLS(t, ours, newer)
	for _, file := range []string{"client.crt", "client.key"} {
		data, err := os.ReadFile(filepath.Join(newer.dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(ours.dir, file), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	way.leadTo(other)
	within, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		_, err := st.Get(within, "/pods/a", storage.GetOptions{})
		if storage.CodeOf(err) == storage.CodeNotFound {
			return // the other etcd is empty
		}
		if within.Err() != nil {
			t.Fatalf("with new certificates: %v", err)
		}
	}
}

// way is an address that leads to an etcd, and later to another one.
type way struct {
	endpoint string

	mu    sync.Mutex // guards the fields below
	to    string
	conns []net.Conn
}

func newWay(t *testing.T, endpoint string) *way {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &way{endpoint: "https://" + listener.Addr().String()}
	w.leadTo(endpoint)
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			w.connect(in)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		w.leadTo(endpoint)
	})
	return w
}

// leadTo cuts the connections there are; others lead to endpoint.
func (w *way) leadTo(endpoint string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = strings.TrimPrefix(endpoint, "https://")
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

func (w *way) connect(in net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out, err := net.Dial("tcp", w.to)
	if err != nil {
		in.Close()
		return
	}
	w.conns = append(w.conns, in, out)
	for from, to := range map[net.Conn]net.Conn{in: out, out: in} {
		go func() {
			io.Copy(to, from)
			to.Close()
		}()
	}
}
