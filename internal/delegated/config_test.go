package delegated

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"encoding/pem"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/internal/certtest"
)

const someKubeconfig = `
current-context: b
clusters:
- name: one
  cluster: {server: "https://one:6443", certificate-authority: ca.crt, tls-server-name: kubernetes}
contexts:
- {name: a, context: {cluster: two, user: two}}
- {name: b, context: {cluster: one, user: me}}
users:
- name: me
  user: {client-certificate: /pki/me.crt, client-key: me.key, tokenFile: token}
`

func TestReadKubeconfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k")
	write(t, file, someKubeconfig)
	got, err := ReadKubeconfig(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(file)
	want := Config{
		Server: "https://one:6443", CAFile: filepath.Join(dir, "ca.crt"), ServerName: "kubernetes",
		CertFile: "/pki/me.crt", KeyFile: filepath.Join(dir, "me.key"), TokenFile: filepath.Join(dir, "token"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for old, tc := range map[string]struct{ new, want string }{
		"current-context: b":          {"current-context: c", `no context "c"`},
		"current-context: b\n":        {"", "current-context is missing"},
		"{cluster: one, user: me}":    {"{cluster: three, user: me}", `no cluster "three"`},
		"cluster: one, user: me":      {"cluster: one, user: you", `no user "you"`},
		"https://one:6443":            {"http://one:6443", "want https"},
		`"https://one:6443"`:          {"one", "want a URL"},
		"tls-server-name: kubernetes": {"proxy-url: http://p", "HTTPS_PROXY"},
		"tokenFile: token":            {"exec: {command: aws}", "exec and auth-provider are not supported"},
		", tokenFile: token":          {", username: joe", "username and password are not supported"},
		"client-key: me.key, ":        {"", "go together"},
		"clusters:":                   {"clusters: {", "yaml"},
	} {
		write(t, file, strings.Replace(someKubeconfig, old, tc.new, 1))
		if tc.new == "" && strings.HasPrefix(old, "current") {
			write(t, file, strings.Replace(someKubeconfig, old, "", 1)+"- {name: other}\n")
		}
		if _, err := ReadKubeconfig(file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s → %s: %v, want %q", old, tc.new, err, tc.want)
		}
	}
	write(t, file, "clusters: [{name: hook, cluster: {server: 'https://hook/review'}}]")
	if got, err := ReadKubeconfig(file); err != nil || got.Server != "https://hook/review" {
		t.Errorf("a webhook's file without a context: %v, %v", got, err)
	}
}

// TestInCluster goes by the files of a service account; a token that was renewed is used at once.
func TestInCluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := InCluster(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no pod") {
		t.Errorf("outside: %v", err)
	}
	r := &remote{answer: tokenReview(`{"authenticated":false}`)}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	host, port, err := net.SplitHostPort(r.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", host)
	t.Setenv("KUBERNETES_SERVICE_PORT", port)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "ca.crt"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})))
	if _, err := InCluster(dir); err == nil {
		t.Error("without a token")
	}
	write(t, filepath.Join(dir, "token"), "first\n")
	config, err := InCluster(dir)
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for _, token := range []string{"first", "second"} {
		write(t, filepath.Join(dir, "token"), token+"\n")
		if _, err := NewTokens(client, nil, 0).AuthenticateToken(t.Context(), "t", nil); err != nil {
			t.Fatal(err)
		}
		if got := r.last(t).authorization; got != "Bearer "+token {
			t.Errorf("sent %q as %s", got, token)
		}
	}
	if _, err := NewClient(Config{Server: r.URL, CAFile: filepath.Join(dir, "token")}); err == nil || !strings.Contains(err.Error(), "PEM") {
		t.Errorf("a CA that is none: %v", err)
	}
	strange, err := NewClient(Config{Server: r.URL, CA: certtest.New(t).PEM})
	if err != nil {
		t.Fatal(err)
	}
	before := r.count()
	if _, err := NewTokens(strange, nil, 0).AuthenticateToken(t.Context(), "t", nil); err == nil || r.count() != before {
		t.Errorf("a token was sent to a server of another authority: %v", err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
