package serve

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/kubeconfig"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

func TestAuthorityIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	first, err := openAuthority(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("something was written, and nobody knows yet whose the directory is: %v", err)
	}
	if err := first.keep(dir); err != nil {
		t.Fatal(err)
	}
	second, err := openAuthority(dir)
	if err != nil {
		t.Fatal(err)
	}
	if string(first.certPEM) != string(second.certPEM) {
		t.Error("a second start has another authority: every kubeconfig would stop working")
	}
}

// TestMissingKeys: a data directory from whose pki a file has gone, or in which one is broken, says
// what to do, or goes on as far as clients can tell.
func TestMissingKeys(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(file string) error
		file   string
		want   string // of the error; "" for none
		said   string // of the log
	}{
		{"no ca.key", os.Remove, "ca.key", "ca.key is missing: put it back from a copy; or remove ", ""},
		{"broken ca.key", spoil, "ca.key", "put them back from a copy; or remove ", ""},
		{"broken ca.crt", spoil, "ca.crt", "put them back from a copy; or remove ", ""},
		{"no ca.crt", os.Remove, "ca.crt", "", ""},
		{"no service-accounts.key", os.Remove, "service-accounts.key", "", "a new one was made, and tokens that another has signed are no good"},
		{"broken service-accounts.key", spoil, "service-accounts.key", "put it back from a copy, or remove it", ""},
		{"nothing", func(string) error { return nil }, "", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := program.NewOptions("widgets")
			o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory = 0, t.TempDir(), true
			i, err := Open(t.Context(), programtest.Widgets(), o)
			if err != nil {
				t.Fatal(err)
			}
			old := i.door.authority.cert
			i.opened.close()
			if err := tc.damage(filepath.Join(o.Store.DataDir, "pki", tc.file)); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			o.Log = slog.New(slog.NewTextHandler(&out, nil))
			i, err = Open(t.Context(), programtest.Widgets(), o)
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.file) {
					t.Errorf("%v; want %q", err, tc.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer i.opened.close()
			if tc.said != "" != strings.Contains(out.String(), "signs tokens") || !strings.Contains(out.String(), tc.said) {
				t.Errorf("it said %q; want %q", &out, tc.said)
			}
			roots := x509.NewCertPool()
			roots.AddCert(old)
			served, err := (&servingCertificate{authority: i.door.authority, hosts: i.door.hosts, now: time.Now}).get(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := served.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "localhost"}); err != nil {
				t.Errorf("who knows the authority of before: %v", err)
			}
		})
	}
}

func spoil(file string) error { return os.WriteFile(file, []byte("garbage"), 0o600) }

func TestServingCertificate(t *testing.T) {
	ca, err := openAuthority(filepath.Join(t.TempDir(), "pki"))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	s := &servingCertificate{authority: ca, hosts: servingHosts("127.0.0.1"), now: func() time.Time { return now }}
	first, err := s.get(nil)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca.cert)
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if _, err := first.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	if again, _ := s.get(nil); again != first {
		t.Error("a new certificate for each handshake")
	}
	now = now.Add(leafLifetime * 3 / 4)
	if renewed, _ := s.get(nil); renewed == first {
		t.Error("not renewed after three quarters of its life")
	}
}

func TestServingHosts(t *testing.T) {
	if hosts := servingHosts("192.0.2.7"); hosts[len(hosts)-1] != "192.0.2.7" {
		t.Errorf("%v lacks the address that is listened on", hosts)
	}
	for _, host := range servingHosts("0.0.0.0") {
		if host == "0.0.0.0" {
			t.Error("nobody reaches a server under 0.0.0.0")
		}
	}
}

func TestAdminKubeconfig(t *testing.T) {
	dir := t.TempDir()
	ca, err := openAuthority(filepath.Join(dir, "pki"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "admin.kubeconfig")
	if err := writeAdminKubeconfig(file, "library", "https://127.0.0.1:6443", "", ca); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var config kubeconfig.File
	if err := yaml.UnmarshalStrict(data, &config); err != nil {
		t.Fatal(err)
	}
	// The server starts again, at another port: the namespace that somebody has chosen stays.
	config.Contexts[0].Context.Namespace = "mine"
	if data, err = yaml.Marshal(config); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeAdminKubeconfig(file, "library", "https://127.0.0.1:7443", "", ca); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	config = kubeconfig.File{}
	if err := yaml.UnmarshalStrict(data, &config); err != nil {
		t.Fatal(err)
	}
	if config.Contexts[0].Context.Namespace != "mine" || config.Clusters[0].Cluster.Server != "https://127.0.0.1:7443" {
		t.Errorf("after another start: %+v", config)
	}
	if config.CurrentContext != "library" || config.Users[0].Name != "library-admin" {
		t.Errorf("%+v", config)
	}
	block, _ := pem.Decode(config.Users[0].User.CertData)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if cert.Subject.CommonName != adminUser || len(cert.Subject.Organization) != 1 || cert.Subject.Organization[0] != adminGroup {
		t.Errorf("the certificate is for %v", cert.Subject)
	}
}

// TestKubeconfigIsRenewed: of a server that runs for years the administrator's certificate is made
// anew before it ends, and not before two thirds of its life are over.
func TestKubeconfigIsRenewed(t *testing.T) {
	i, _ := running(t, nil)
	read := func() string {
		data, err := os.ReadFile(i.Kubeconfig())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first, begun := read(), time.Now()
	written := begun
	for month := 1; month <= 24; month++ {
		now, before := begun.AddDate(0, month, 0), read()
		var err error
		if written, err = i.door.renewed("widgets", written, now); err != nil {
			t.Fatal(err)
		}
		if age := now.Sub(written); age > leafLifetime*3/4 {
			t.Errorf("in month %d the certificate is %v old", month, age)
		}
		if anew := read() != before; anew != written.Equal(now) {
			t.Errorf("in month %d the file was written %v, and it is said to be of %v", month, anew, written)
		}
	}
	if read() == first {
		t.Error("the file was never written anew")
	}
}
