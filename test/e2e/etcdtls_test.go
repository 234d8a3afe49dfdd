package e2e

import (
	"crypto/tls"
	"io"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/typeplane/typeplane/internal/certtest"
)

// TestEtcdOverTLS puts TLS with client certificates in front of a server's etcd, and has a second
// server talk to that.
func TestEtcdOverTLS(t *testing.T) {
	t.Parallel()
	first := start(t, t.TempDir())
	t.Cleanup(func() { first.stop(syscall.SIGTERM) })
	ca, dir := certtest.New(t), t.TempDir()
	caFile := ca.Write(t, dir, "ca")
	endpoint := "https://" + terminateTLS(t, ca, filepath.Join(first.dataDir, "etcd.sock"))
	cert, key := certtest.WritePair(t, dir, "client", ca.Client(t, "client"))
	trusted := []string{"--etcd-servers", endpoint, "--etcd-cafile", caFile, "--etcd-certfile", cert, "--etcd-keyfile", key}

	second := start(t, t.TempDir(), trusted...)
	defer second.stop(syscall.SIGTERM)
	if _, body, err := second.do("POST", books, "application/json", book("over-tls")); err != nil {
		t.Fatalf("create: %s %v", body, err)
	}
	if !names(t, first)["over-tls"] {
		t.Error("what was created through TLS is not in the etcd behind it")
	}

	other := certtest.New(t).Write(t, dir, "other")
	for name, args := range map[string][]string{
		"no client certificate":  {"--etcd-servers", endpoint, "--etcd-cafile", caFile},
		"a CA that did not sign": {"--etcd-servers", endpoint, "--etcd-cafile", other, "--etcd-certfile", cert, "--etcd-keyfile", key},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, code := run(t, append(args, "--data-dir", t.TempDir(), "--secure-port", "0")...)
			if code == 0 || !strings.Contains(out, "--etcd-servers") || !strings.Contains(out, "certificate") {
				t.Errorf("exit %d, want a failure about the certificate:\n%s", code, out)
			}
		})
	}
}

// terminateTLS forwards TLS connections to a unix socket until the test ends, and returns where it
// listens.
func terminateTLS(t *testing.T, ca *certtest.Authority, socket string) string {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{*ca.Server(t)},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    ca.Pool(),
		NextProtos:   []string{"h2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(conn, socket)
		}
	}()
	return listener.Addr().String()
}

func forward(client net.Conn, socket string) {
	defer client.Close()
	server, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer server.Close()
		io.Copy(server, client)
	}()
	io.Copy(client, server)
}
