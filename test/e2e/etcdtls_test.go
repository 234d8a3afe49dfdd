package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestEtcdOverTLS puts TLS with client certificates in front of a server's etcd, and has a second server talk to that.
func TestEtcdOverTLS(t *testing.T) {
	t.Parallel()
	first := start(t, t.TempDir())
	t.Cleanup(func() { first.stop(syscall.SIGTERM) })
	ca := newCA(t)
	endpoint := "https://" + terminateTLS(t, ca, filepath.Join(first.dataDir, "etcd.sock"))
	cert, key := ca.issue(t, "client")
	trusted := []string{"--etcd-servers", endpoint, "--etcd-cafile", ca.file, "--etcd-certfile", cert, "--etcd-keyfile", key}

	second := start(t, t.TempDir(), trusted...)
	defer second.stop(syscall.SIGTERM)
	if _, body, err := second.do("POST", books, "application/json", book("over-tls")); err != nil {
		t.Fatalf("create: %s %v", body, err)
	}
	if !names(t, first)["over-tls"] {
		t.Error("what was created through TLS is not in the etcd behind it")
	}

	other := newCA(t)
	for name, args := range map[string][]string{
		"no client certificate":  {"--etcd-servers", endpoint, "--etcd-cafile", ca.file},
		"a CA that did not sign": {"--etcd-servers", endpoint, "--etcd-cafile", other.file, "--etcd-certfile", cert, "--etcd-keyfile", key},
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

// terminateTLS forwards TLS connections to a unix socket until the test ends, and returns where it listens.
func terminateTLS(t *testing.T, ca *testCA, socket string) string {
	t.Helper()
	certFile, keyFile := ca.issue(t, "server")
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(ca.cert)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{pair},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    clients,
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

// testCA signs certificates for 127.0.0.1.
type testCA struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
	file string
}

func newCA(t *testing.T) *testCA {
	t.Helper()
	ca := &testCA{dir: t.TempDir()}
	template := &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	ca.cert, ca.key = sign(t, template, nil)
	ca.file = ca.write(t, "ca.crt", "CERTIFICATE", ca.cert.Raw)
	return ca
}

func (ca *testCA) issue(t *testing.T, name string) (certFile, keyFile string) {
	t.Helper()
	template := &x509.Certificate{
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, key := sign(t, template, ca)
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return ca.write(t, name+".crt", "CERTIFICATE", cert.Raw), ca.write(t, name+".key", "EC PRIVATE KEY", der)
}

func (ca *testCA) write(t *testing.T, name, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(ca.dir, name)
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// sign makes a certificate of a template; without a CA it signs itself.
func sign(t *testing.T, template *x509.Certificate, ca *testCA) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, _ = rand.Int(rand.Reader, big.NewInt(1<<62))
	template.Subject = pkix.Name{CommonName: "test"}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := template, key
	if ca != nil {
		parent, signer = ca.cert, ca.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}
