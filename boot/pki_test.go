package boot

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

func TestAuthorityIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	first, err := openAuthority(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := openAuthority(dir)
	if err != nil {
		t.Fatal(err)
	}
	if string(first.certPEM) != string(second.certPEM) {
		t.Error("a second start has another authority: every kubeconfig would stop working")
	}
	if err := os.WriteFile(filepath.Join(dir, "ca.key"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openAuthority(dir); err == nil || !strings.Contains(err.Error(), "ca.key") {
		t.Errorf("broken key: %v, want an error that names the file", err)
	}
}

// TestAuthorityOfAHalfFirstStart: the process died after it wrote the key and before the certificate.
func TestAuthorityOfAHalfFirstStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	if _, err := openAuthority(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "ca.crt")); err != nil {
		t.Fatal(err)
	}
	if _, err := openAuthority(dir); err != nil {
		t.Error(err)
	}
}

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
	var config kubeconfig
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
	config = kubeconfig{}
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
