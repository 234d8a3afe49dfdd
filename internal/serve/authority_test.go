package serve

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/internal/program"
)

// TestAuthorityIsRenewed: one that has ended, or is in the last third of its life, is made anew at
// each start, as good to those who know the old one. The file stays as it is.
func TestAuthorityIsRenewed(t *testing.T) {
	for _, tc := range []struct {
		name string
		left time.Duration
		want bool
	}{
		{"ended", -time.Hour, true},
		{"in its last third", caLifetime/3 - time.Hour, true},
		{"before that", caLifetime/3 + time.Hour, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := program.NewOptions("widgets")
			o.Store.DataDir = t.TempDir()
			dir := filepath.Join(o.Store.DataDir, "pki")
			first, err := openAuthority(dir)
			if err != nil {
				t.Fatal(err)
			}
			end(t, first, tc.left)
			if err := first.keep(dir); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			a, err := openAccess(o, slog.New(slog.NewTextHandler(&said, nil)))
			if err != nil {
				t.Fatal(err)
			}
			if got := !a.authority.renewed.IsZero(); got != tc.want || got != strings.Contains(said.String(), "hand out new kubeconfig files") {
				t.Errorf("renewed %v, want %v; it said %q", got, tc.want, &said)
			}
			drill.EndingAuthority.Count("authorities", 1)
			drill.EndingAuthority.Count("certificates that end", 0)
			if now := a.authority.cert.NotAfter; time.Until(now) < caLifetime/3 {
				t.Errorf("the one in use ends at %v", now)
				drill.EndingAuthority.Count("certificates that end", 1)
			}
			if err := a.authority.keep(dir); err != nil {
				t.Fatal(err)
			}
			if file, err := os.ReadFile(filepath.Join(dir, authorityCertFile)); err != nil || !bytes.Equal(file, first.certPEM) {
				t.Errorf("the file is another: %v", err)
			}

			// A client that the old one has signed is known to the new one.
			certPEM, _, err := first.issueClient("jane")
			if err != nil {
				t.Fatal(err)
			}
			roots := x509.NewCertPool()
			roots.AddCert(a.authority.cert)
			block, _ := pem.Decode(certPEM)
			client, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
				t.Error(err)
			}
		})
	}
}

// end lets the certificate of an authority end some time from now.
func end(t *testing.T, a *authority, left time.Duration) {
	t.Helper()
	template := *a.cert
	template.NotAfter = time.Now().Add(left)
	template.NotBefore = template.NotAfter.Add(-caLifetime)
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, a.key.Public().(*ecdsa.PublicKey), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.certPEM = encodeCertificate(der)
}
