package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/server/auth"
)

// authority is a CA of the tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "ca"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key := newKey(t)
	return authority{cert: issue(t, template, template, key, key), key: key}
}

func (a authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func (a authority) client(t *testing.T, template x509.Certificate) *x509.Certificate {
	t.Helper()
	if template.ExtKeyUsage == nil {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	return issue(t, &template, a.cert, newKey(t), a.key)
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func issue(t *testing.T, template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	template.SerialNumber = big.NewInt(1)
	if template.NotBefore.IsZero() {
		template.NotBefore = time.Now().Add(-time.Hour)
	}
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func over(certs ...*x509.Certificate) *http.Request {
	return &http.Request{TLS: &tls.ConnectionState{PeerCertificates: certs}}
}

func TestClientCertificates(t *testing.T) {
	ca := newAuthority(t)
	a, err := auth.NewClientCertificates(ca.pem())
	if err != nil {
		t.Fatal(err)
	}
	uid := pkix.AttributeTypeAndValue{Type: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57683, 2}, Value: "u-1"}
	cert := ca.client(t, x509.Certificate{Subject: pkix.Name{CommonName: "admin", Organization: []string{"dev", "system:masters"}, ExtraNames: []pkix.AttributeTypeAndValue{uid}}})
	for range 2 { // the second answer comes from memory
		user, err := a.Authenticate(over(cert))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"dev", "system:masters", "system:authenticated"}, user.Groups); diff != "" || user.Name != "admin" || user.UID != "u-1" {
			t.Errorf("got %+v", user)
		}
		if id := user.Extra["authentication.kubernetes.io/credential-id"]; len(id) != 1 || !strings.HasPrefix(id[0], "X509SHA256=") {
			t.Errorf("credential id %q", id)
		}
	}
}

func TestRefusedCertificates(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	a, err := auth.NewClientCertificates(ca.pem())
	if err != nil {
		t.Fatal(err)
	}
	named := x509.Certificate{Subject: pkix.Name{CommonName: "u"}}
	expired, early, server, nameless := named, named, named, named
	expired.NotAfter = time.Now().Add(-time.Minute)
	early.NotBefore = time.Now().Add(time.Minute)
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	nameless.Subject = pkix.Name{Organization: []string{"system:masters"}}
	for name, cert := range map[string]*x509.Certificate{
		"of another authority": stranger.client(t, named),
		"expired":              ca.client(t, expired),
		"not yet valid":        ca.client(t, early),
		"of a server":          ca.client(t, server),
		"without a name":       ca.client(t, nameless),
	} {
		if user, err := a.Authenticate(over(cert)); err == nil || user != nil {
			t.Errorf("%s: got %v, %v", name, user, err)
		}
	}
}

// A certificate that was good is refused once it has expired, also on a connection that is still open.
func TestCertificateExpires(t *testing.T) {
	ca := newAuthority(t)
	a, err := auth.NewClientCertificates(ca.pem())
	if err != nil {
		t.Fatal(err)
	}
	cert := ca.client(t, x509.Certificate{Subject: pkix.Name{CommonName: "u"}, NotAfter: time.Now().Add(2 * time.Second)})
	if _, err := a.Authenticate(over(cert)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(cert.NotAfter) + 10*time.Millisecond)
	if user, err := a.Authenticate(over(cert)); err == nil {
		t.Errorf("%s is still let in", user.Name)
	}
}

func TestNoCertificate(t *testing.T) {
	a, err := auth.NewClientCertificates(newAuthority(t).pem())
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range []*http.Request{{}, over()} {
		if user, err := a.Authenticate(req); user != nil || err != nil {
			t.Errorf("got %v, %v", user, err)
		}
	}
}

func TestBadBundle(t *testing.T) {
	for _, text := range []string{"", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"} {
		if _, err := auth.NewClientCertificates([]byte(text)); err == nil {
			t.Errorf("%q is taken for a CA", text)
		}
	}
}
