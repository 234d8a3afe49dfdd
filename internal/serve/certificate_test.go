package serve

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

// operatorsPair writes a certificate for a name, signed by an authority of its own, and returns
// that authority.
func operatorsPair(t *testing.T, certFile, keyFile, name string) *authority {
	t.Helper()
	ca, err := openAuthority(filepath.Join(t.TempDir(), "pki"))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.issueServing([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, map[string][]byte{
		certFile: append(encodeCertificate(pair.Certificate[0]), ca.certPEM...),
		keyFile:  encodePKCS8(keyDER),
	})
	return ca
}

func writeFiles(t *testing.T, files map[string][]byte) {
	t.Helper()
	for file, data := range files {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func encodePKCS8(der []byte) []byte {
	return []byte(strings.ReplaceAll(string(encodeCertificate(der)), "CERTIFICATE", "PRIVATE KEY"))
}

// TestNamesOfOwnCertificate: --tls-san puts names into the certificate that the server makes, and
// no others are in it.
func TestNamesOfOwnCertificate(t *testing.T) {
	i, _ := running(t, func(o *program.Options) { o.Serving.TLSNames = []string{"shop.example.com", "192.0.2.7"} })
	roots := x509.NewCertPool()
	roots.AddCert(i.door.authority.cert)
	for name, known := range map[string]bool{"shop.example.com": true, "192.0.2.7": true, "localhost": true, "other.example.com": false} {
		conn, err := tls.Dial("tcp", i.door.listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: name})
		if err == nil {
			conn.Close()
		}
		if (err == nil) != known {
			t.Errorf("a client that calls the server %s: %v", name, err)
		}
	}
}

// TestServingCertificateFlags: clients see the operator's certificate, the administrator's
// kubeconfig works as ever.
func TestServingCertificateFlags(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	ca := operatorsPair(t, certFile, keyFile, "api.example.com")
	i, client := running(t, func(o *program.Options) { o.Serving.TLSCertFile, o.Serving.TLSPrivateKeyFile = certFile, keyFile })
	getBody(t, client, i.URL()+"/version")

	roots := x509.NewCertPool()
	roots.AddCert(ca.cert)
	conn, err := tls.Dial("tcp", i.door.listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: "api.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	kubeconfig, err := os.ReadFile(i.Kubeconfig())
	if err != nil || !strings.Contains(string(kubeconfig), "tls-server-name: "+adminServerName) {
		t.Errorf("%v\n%s", err, kubeconfig)
	}
	if got := getBody(t, client, i.URL()+"/healthz?verbose"); !strings.Contains(got, "[+]serving-certificate ok") {
		t.Error(got)
	}
	numbers := getBody(t, client, i.URL()+"/metrics")
	for name, lifetime := range map[string]time.Duration{"authority": caLifetime, "serving": leafLifetime} {
		_, after, _ := strings.Cut(numbers, `typeplane_certificate_expiration_timestamp_seconds{certificate="`+name+`"} `)
		var end float64
		if _, err := fmt.Sscan(after, &end); err != nil || math.Abs(end-float64(time.Now().Add(lifetime).Unix())) > 600 {
			t.Errorf("%s ends at %v, %v", name, end, err)
		}
	}
}

// TestCertificateIsReadAgain: a new pair is in use for new connections; half of one is not, and is
// said once.
func TestCertificateIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	operatorsPair(t, certFile, keyFile, "one.example.com")
	var log strings.Builder
	f, err := openCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	f.now = func() time.Time { return now }
	want := func(name string) {
		t.Helper()
		now = now.Add(readAgainEvery)
		if current := f.get(); current.Leaf.DNSNames[0] != name {
			t.Errorf("%s, want %s", current.Leaf.DNSNames[0], name)
		}
	}
	want("one.example.com")
	operatorsPair(t, certFile, keyFile, "two.example.com")
	if current := f.get(); current.Leaf.DNSNames[0] != "one.example.com" {
		t.Error("the files are read for every connection")
	}
	want("two.example.com")
	key, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	operatorsPair(t, certFile, keyFile, "three.example.com")
	newKey, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, map[string][]byte{keyFile: key})
	want("two.example.com")
	want("two.example.com")
	if got := strings.Count(log.String(), "can't be used"); got != 1 {
		t.Errorf("said %d times:\n%s", got, log.String())
	}
	writeFiles(t, map[string][]byte{keyFile: newKey})
	want("three.example.com")
	if err := os.Remove(certFile); err != nil {
		t.Fatal(err)
	}
	want("three.example.com")
	if err := f.health(t.Context()); err != nil {
		t.Errorf("health: %v", err)
	}
	now = now.Add(leafLifetime)
	if err := f.health(t.Context()); err == nil || !strings.Contains(err.Error(), certFile) {
		t.Errorf("expired: %v", err)
	}
}

// TestRootCA: pods know the server by its own authority, unless the operator says otherwise.
func TestRootCA(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	ca, caFile := operatorsPair(t, certFile, keyFile, "one.example.com"), filepath.Join(dir, "ca.crt")
	empty := filepath.Join(dir, "empty")
	writeFiles(t, map[string][]byte{empty: []byte("no certificates"), caFile: ca.certPEM})
	open := func(change func(*program.Options)) (*access, error) {
		o := program.NewOptions("widgets")
		o.Store.DataDir = filepath.Join(dir, "data")
		change(o)
		return openAccess(o, slog.New(slog.DiscardHandler))
	}
	operators := func(o *program.Options) { o.Serving.TLSCertFile, o.Serving.TLSPrivateKeyFile = certFile, keyFile }
	for _, c := range []struct {
		name   string
		change func(*program.Options)
		want   func(*access) []byte
	}{
		{"its own", func(*program.Options) {}, func(a *access) []byte { return a.authority.certPEM }},
		{"the operator's, who says nothing", operators, func(*access) []byte { return nil }},
		{"the operator's, who says", func(o *program.Options) { operators(o); o.Authentication.RootCAFile = caFile }, func(*access) []byte { return ca.certPEM }},
	} {
		a, err := open(c.change)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.rootCA, c.want(a)) {
			t.Errorf("%s: %s", c.name, a.rootCA)
		}
	}
	for _, file := range []string{empty, filepath.Join(dir, "missing")} {
		if _, err := open(func(o *program.Options) { o.Authentication.RootCAFile = file }); err == nil || !strings.Contains(err.Error(), "--root-ca-file: ") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestCertificateFilesRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	writeFiles(t, map[string][]byte{file: []byte("x")})
	for _, cert := range []string{file, filepath.Join(dir, "missing")} {
		o := program.NewOptions("widgets")
		o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory = 0, t.TempDir(), true
		o.Serving.TLSCertFile, o.Serving.TLSPrivateKeyFile = cert, file
		if _, err := Open(t.Context(), programtest.Widgets(), o); err == nil || !strings.Contains(err.Error(), "--tls-cert-file: ") {
			t.Errorf("%s: %v", cert, err)
		}
	}
}
