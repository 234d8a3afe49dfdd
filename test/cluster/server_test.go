package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// programs is where the programs are built, library is examples/library, built once.
var programs, library string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs, library = dir, filepath.Join(dir, "library")
	build := exec.Command("go", "build", "-o", library, "./examples/library")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// server is a running program. What it logs is in a file.
type server struct {
	url    string
	client *http.Client
	log    string
	// kill ends the process at once, and returns when it has ended.
	kill func()
}

// startServer runs the library over an etcd until the test ends.
func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	return startProgram(t, library, args...)
}

func startProgram(t *testing.T, program string, args ...string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{log: filepath.Join(dir, "log")}
	log, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(program, append([]string{"--data-dir", filepath.Join(dir, "data"), "--secure-port", "0"}, args...)...)
	cmd.Stderr = log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	exported := make(chan string, 1)
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if file, ok := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); ok {
				exported <- strings.Trim(file, `'"`)
			}
		}
		cmd.Wait()
	}()
	s.kill = func() {
		cmd.Process.Kill()
		<-ended
	}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			text, _ := os.ReadFile(s.log)
			t.Logf("the server's log ends with\n%s", text[max(0, len(text)-2048):])
		}
	})
	select {
	case file := <-exported:
		s.connect(t, file)
	case <-ended:
		t.Fatal("the server ended before it was ready")
	case <-time.After(3 * time.Minute):
		t.Fatal("the server does not say where it is")
	}
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		code, body, err := s.do(t.Context(), http.MethodGet, "/readyz", "", nil)
		if code == http.StatusOK {
			return s
		}
		if time.Since(begin) > 3*time.Minute {
			t.Fatalf("the server is not ready: %d %s %v", code, body, err)
		}
	}
}

// connect makes an HTTPS client of a kubeconfig.
func (s *server) connect(t *testing.T, kubeconfig string) {
	t.Helper()
	data, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server string
				CA     []byte `json:"certificate-authority-data"`
			}
		}
		Users []struct {
			User struct {
				Cert []byte `json:"client-certificate-data"`
				Key  []byte `json:"client-key-data"`
			}
		}
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	s.url = config.Clusters[0].Cluster.Server
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(config.Clusters[0].Cluster.CA)
	pair, err := tls.X509KeyPair(config.Users[0].User.Cert, config.Users[0].User.Key)
	if err != nil {
		t.Fatal(err)
	}
	s.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}},
		ForceAttemptHTTP2: true,
	}}
}

func (s *server) do(ctx context.Context, method, path, contentType string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, data, err
}
