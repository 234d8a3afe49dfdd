package serve

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
)

// What a file says counts from when it was replaced; what can't be used does not.
func TestFilesOfUsersAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	tokens, clients := filepath.Join(dir, "tokens"), filepath.Join(dir, "ca")
	one, oneCert := authorityOf(t, "one")
	two, twoCert := authorityOf(t, "two")
	own, ownCert := authorityOf(t, "own")
	writeFiles(t, map[string][]byte{tokens: []byte("t1,ann,1\n"), clients: one.certPEM})
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	o := program.NewOptions("widgets").Authentication
	o.TokenFile, o.ClientCAFile = tokens, clients

	file, err := openTokenFile(&o, logger)
	if err != nil {
		t.Fatal(err)
	}
	certificates, err := openClients(&o, own.certPEM, logger)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	clock := func() time.Time { return now }
	file.now, certificates.(reloadedAuthenticator).now = clock, clock
	want := func(says string) {
		t.Helper()
		var got []string
		for _, token := range []string{"t1", "t2"} {
			if known, err := file.AuthenticateToken(t.Context(), token, program.Audiences(&o)); err == nil && known != nil {
				got = append(got, known.User.Name)
			}
		}
		for _, cert := range []*x509.Certificate{oneCert, twoCert, ownCert} {
			shown := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{cert}}
			if user, err := certificates.Authenticate(&http.Request{TLS: shown}); err == nil && user != nil {
				got = append(got, user.Name)
			}
		}
		if strings.Join(got, " ") != says {
			t.Errorf("known are %q, want %q", got, says)
		}
	}
	want("ann one own")
	writeFiles(t, map[string][]byte{tokens: []byte("t2,bob,2\n"), clients: two.certPEM})
	want("ann one own") // nobody looks at each request
	now = now.Add(readAgainEvery)
	want("bob two own")

	writeFiles(t, map[string][]byte{tokens: []byte("t1\n"), clients: []byte("x")})
	for range 3 {
		now = now.Add(readAgainEvery)
		want("bob two own")
	}
	for _, says := range []string{"the new token file can't be used", "the new authority of clients can't be used"} {
		if got := strings.Count(log.String(), says); got != 1 {
			t.Errorf("%q was logged %d times:\n%s", says, got, log.String())
		}
	}
}

// authorityOf makes an authority, and a certificate of a user that it signs.
func authorityOf(t *testing.T, user string) (*authority, *x509.Certificate) {
	t.Helper()
	ca, err := openAuthority(filepath.Join(t.TempDir(), "pki"))
	if err != nil {
		t.Fatal(err)
	}
	certPEM, _, err := ca.issueClient(user)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(certPEM)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return ca, cert
}
