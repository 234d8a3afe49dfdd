package e2e

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFreshServerIsClosed looks at a server without any flag but where to keep its data, as a
// stranger would.
func TestFreshServerIsClosed(t *testing.T) {
	t.Cleanup(func() { noteShown(t) })
	s := start(t, filepath.Join(t.TempDir(), "data"))
	defer s.stop(syscall.SIGTERM)

	for file, want := range map[string]os.FileMode{"": 0o700, "admin.kubeconfig": 0o600, "pki/ca.key": 0o600, "etcd.sock": 0o600} {
		info, err := os.Stat(filepath.Join(s.dataDir, file))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", file, got, want)
		}
	}

	anonymous := s.anonymous()
	for path, want := range map[string]int{
		"/livez":       http.StatusOK,
		"/readyz":      http.StatusOK,
		"/version":     http.StatusOK,
		"/":            http.StatusUnauthorized,
		"/apis":        http.StatusUnauthorized,
		"/openapi/v3":  http.StatusUnauthorized,
		"/metrics":     http.StatusUnauthorized,
		books:          http.StatusUnauthorized,
		"/nosuchthing": http.StatusUnauthorized,
	} {
		resp, err := anonymous.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s without a credential: %d, want %d", path, resp.StatusCode, want)
		}
	}

	plain := strings.Replace(s.URL, "https://", "http://", 1)
	resp, err := http.Get(plain + "/version")
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			t.Error("the server answers plain HTTP")
		}
	}
}

func TestSignalsStopCleanlyAndASecondStartFindsTheData(t *testing.T) {
	dir := t.TempDir()
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		s := start(t, dir)
		if got := len(names(t, s)); got != i {
			t.Errorf("start %d: %d books, want %d", i+1, got, i)
		}
		name := "book-" + []string{"a", "b"}[i]
		if code, body, err := s.do(http.MethodPost, books, "application/json", book(name)); err != nil || code != http.StatusCreated {
			t.Fatalf("create: %d %s %v", code, body, err)
		}
		// A watch that is open must not keep the server from stopping.
		resp, err := s.Client.Get(s.URL + books + "?watch=true")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := s.stop(sig); err != nil {
			t.Errorf("%v: ended with %v:\n%s", sig, err, s.output)
		}
	}
}

func TestBusyPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	out, code := run(t, "--data-dir", t.TempDir(), "--secure-port", port)
	if code == 0 || !strings.Contains(out, port) || !strings.Contains(out, "--secure-port") {
		t.Errorf("exit %d, want a failure that names the port and --secure-port:\n%s", code, out)
	}
}

func TestDataDirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir)
	defer s.stop(syscall.SIGTERM)
	out, code := run(t, "--data-dir", dir, "--secure-port", "0")
	if code == 0 || !strings.Contains(out, dir) || !strings.Contains(out, "another server") {
		t.Errorf("exit %d, want a failure that names the directory and says who has it:\n%s", code, out)
	}
}

func TestRefusedFlags(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--etcd-quorum-read=false":            "linearizable",
		"--storage-backend=etcd2":             "etcd v3",
		"--secure-prt=1":                      "--secure-port",
		"--secure-port=x":                     "--secure-port",
		"--bind-address=localhost":            "want an IP address",
		"--etcd-prefix=registry":              "begins with a slash",
		"--storage-media-type=text/plain":     "application/json",
		"--storage-versions=library/x/y":      "group/version",
		"--storage-versions=other.example/v1": "other.example",
		"--etcd-cafile=/nonexistent":          "--etcd-servers",
		"--etcd-servers=http://127.0.0.1:1":   "connection refused",
		"surplus":                             "surplus",
	} {
		out, code := run(t, "--data-dir", t.TempDir(), "--secure-port", "0", flag)
		if code == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, want a failure that says %q:\n%s", flag, code, want, out)
		}
	}
}

func TestExternalEtcd(t *testing.T) {
	first := start(t, t.TempDir())
	defer first.stop(syscall.SIGTERM)
	socket := "unix://" + filepath.Join(first.dataDir, "etcd.sock")
	second := start(t, t.TempDir(), "--etcd-servers", socket)
	defer second.stop(syscall.SIGTERM)

	if code, body, err := first.do(http.MethodPost, books, "application/json", book("shared")); err != nil || code != http.StatusCreated {
		t.Fatalf("create: %d %s %v", code, body, err)
	}
	if !names(t, second)["shared"] {
		t.Error("a server on the same etcd does not see the book")
	}
	third := start(t, t.TempDir(), "--etcd-servers", socket, "--etcd-prefix", "/elsewhere")
	defer third.stop(syscall.SIGTERM)
	if len(names(t, third)) != 0 {
		t.Error("a server with another --etcd-prefix sees the book")
	}
}
