package auth_test

import (
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/certtest"
)

// issue signs a certificate of a client, unless the template says of whom.
func issue(t *testing.T, ca *certtest.Authority, template x509.Certificate) *x509.Certificate {
	t.Helper()
	if template.ExtKeyUsage == nil {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	return ca.Issue(t, template).Leaf
}

func over(certs ...*x509.Certificate) *http.Request {
	return &http.Request{TLS: &tls.ConnectionState{PeerCertificates: certs}}
}

func TestClientCertificates(t *testing.T) {
	ca := certtest.New(t)
	a, err := auth.NewClientCertificates(ca.PEM)
	if err != nil {
		t.Fatal(err)
	}
	uid := pkix.AttributeTypeAndValue{Type: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57683, 2}, Value: "u-1"}
	cert := issue(t, ca, x509.Certificate{Subject: pkix.Name{CommonName: "admin", Organization: []string{"dev", "system:masters"}, ExtraNames: []pkix.AttributeTypeAndValue{uid}}})
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

// TestTwins: who works out another signature of a certificate that is revoked is not let in by it,
// and what was opened with it ends.
func TestTwins(t *testing.T) {
	ca := certtest.New(t)
	certs, err := auth.NewClientCertificates(ca.PEM)
	if err != nil {
		t.Fatal(err)
	}
	var list auth.Revocations
	a := list.Over(certs)
	cert, other := issue(t, ca, x509.Certificate{Subject: pkix.Name{CommonName: "ann"}}), issue(t, ca, x509.Certificate{Subject: pkix.Name{CommonName: "bob"}})
	made := twin(t, cert)
	ended := 0
	for _, one := range []*x509.Certificate{cert, made} {
		user, err := a.Authenticate(over(one))
		if err != nil || user.Name != "ann" || user.Extra[auth.CredentialID][0] != auth.CertificateID(one) {
			t.Fatalf("%+v, %v", user, err)
		}
		defer list.AfterRevoked(user, func() { ended++ })()
	}
	list.Set([]string{auth.CertificateID(cert)})
	list.Set([]string{auth.CertificateID(cert), auth.CertificateID(made)})
	list.Set([]string{auth.CertificateID(cert)})
	for _, one := range []*x509.Certificate{cert, made} {
		if user, err := a.Authenticate(over(one)); err == nil {
			t.Errorf("%+v is let in", user)
		}
	}
	if _, err := a.Authenticate(over(other)); err != nil || ended != 2 {
		t.Errorf("%v, and %d have ended", err, ended)
	}
}

// twin is a certificate with the other signature that is as good as its own.
func twin(t *testing.T, cert *x509.Certificate) *x509.Certificate {
	t.Helper()
	var whole struct {
		Content, Algorithm asn1.RawValue
		Signature          asn1.BitString
	}
	var signature struct{ R, S *big.Int }
	_, err1 := asn1.Unmarshal(cert.Raw, &whole)
	_, err2 := asn1.Unmarshal(cert.Signature, &signature)
	signature.S.Sub(elliptic.P256().Params().N, signature.S)
	other, err3 := asn1.Marshal(signature)
	whole.Signature = asn1.BitString{Bytes: other, BitLength: 8 * len(other)}
	raw, err4 := asn1.Marshal(whole)
	made, err5 := x509.ParseCertificate(raw)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	return made
}

func TestRefusedCertificates(t *testing.T) {
	ca, stranger := certtest.New(t), certtest.New(t)
	a, err := auth.NewClientCertificates(ca.PEM)
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
		"of another authority": issue(t, stranger, named),
		"expired":              issue(t, ca, expired),
		"not yet valid":        issue(t, ca, early),
		"of a server":          issue(t, ca, server),
		"without a name":       issue(t, ca, nameless),
		"of no usage":          ca.Issue(t, named).Leaf,
	} {
		if user, err := a.Authenticate(over(cert)); err == nil || user != nil {
			t.Errorf("%s: got %v, %v", name, user, err)
		}
	}
}

// A certificate that was good is refused once it has expired, also on a connection that is still
// open.
func TestCertificateExpires(t *testing.T) {
	ca := certtest.New(t)
	a, err := auth.NewClientCertificates(ca.PEM)
	if err != nil {
		t.Fatal(err)
	}
	var cert *x509.Certificate
	for life := 2 * time.Second; ; life *= 2 { // longer, if it was over before it was shown
		cert = issue(t, ca, x509.Certificate{Subject: pkix.Name{CommonName: "u"}, NotAfter: time.Now().Add(life)})
		_, err := a.Authenticate(over(cert))
		if err == nil {
			break
		}
		if time.Now().Before(cert.NotAfter) {
			t.Fatal(err)
		}
	}
	time.Sleep(time.Until(cert.NotAfter) + 10*time.Millisecond)
	if user, err := a.Authenticate(over(cert)); err == nil {
		t.Errorf("%s is still let in", user.Name)
	}
}

func TestNoCertificate(t *testing.T) {
	a, err := auth.NewClientCertificates(certtest.New(t).PEM)
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
