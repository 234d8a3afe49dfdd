// Package certtest makes certificate authorities for tests, and what they sign. Nothing outside of
// tests imports it.
//
// Start reading at New. Keys are small and quick to make, and everything is good for an hour.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates. It is not modified: all methods may be called from any goroutine
// that may end the test.
type Authority struct {
	// Cert is its own certificate, PEM the same in text.
	Cert *x509.Certificate
	PEM  []byte

	key *ecdsa.PrivateKey
}

// New makes an authority. No two have the same name or key.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{key: NewKey(t)}
	template := x509.Certificate{
		Subject: pkix.Name{CommonName: "ca-" + rand.Text()}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	complete(&template)
	a.Cert = a.sign(t, &template, &template, a.key)
	a.PEM = encode("CERTIFICATE", a.Cert.Raw)
	return a
}

// Pool trusts the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	return pool
}

// Issue signs a certificate for a new key. What the template leaves open is filled in: a serial
// number, times from an hour ago to in an hour.
func (a *Authority) Issue(t testing.TB, template x509.Certificate) *tls.Certificate {
	t.Helper()
	complete(&template)
	key := NewKey(t)
	leaf := a.sign(t, &template, a.Cert, key)
	return &tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}
}

// Client issues the certificate of a user.
func (a *Authority) Client(t testing.TB, user string, groups ...string) *tls.Certificate {
	t.Helper()
	return a.Issue(t, x509.Certificate{
		Subject: pkix.Name{CommonName: user, Organization: groups}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// Server issues the certificate of a server on the loopback address.
func (a *Authority) Server(t testing.TB) *tls.Certificate {
	t.Helper()
	return a.Issue(t, x509.Certificate{
		Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// Write writes the authority to name.crt in dir.
func (a *Authority) Write(t testing.TB, dir, name string) (file string) {
	t.Helper()
	return write(t, dir, name+".crt", a.PEM)
}

// WritePair writes a certificate to name.crt and its key to name.key, in dir. Files that are there
// are replaced.
func WritePair(t testing.TB, dir, name string, pair *tls.Certificate) (certFile, keyFile string) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, name+".crt", encode("CERTIFICATE", pair.Certificate[0])), write(t, dir, name+".key", encode("PRIVATE KEY", key))
}

func write(t testing.TB, dir, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// NewKey makes a private key.
func NewKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Request asks for a certificate of a user, in PEM.
func Request(t testing.TB, key *ecdsa.PrivateKey, name string, groups ...string) []byte {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name, Organization: groups}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return encode("CERTIFICATE REQUEST", der)
}

func complete(template *x509.Certificate) {
	if template.SerialNumber == nil {
		template.SerialNumber = new(big.Int).SetBytes([]byte(rand.Text())[:16])
	}
	if template.NotBefore.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
}

func (a *Authority) sign(t testing.TB, template, parent *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
