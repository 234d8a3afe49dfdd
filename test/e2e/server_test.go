// Package e2e drives a server as its users do: a binary built from examples/library, a stock
// kubectl, and plain HTTPS. Start reading at TestKubectl.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// programs is the folder of the programs under test, built once; binary is the one that most tests
// are about.
var programs, binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs, binary = dir, filepath.Join(dir, "library")
	build := exec.Command("go", "build", "-o", dir+"/", "./examples/...")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// hangs is after which time something that has to happen is taken to hang. Machines are busy, and
// disks slow.
const hangs = 2 * time.Minute

// server is one running process.
type server struct {
	t          testing.TB
	cmd        *exec.Cmd
	exited     chan error    // how it ended, once
	gone       chan struct{} // closed when it has
	dataDir    string
	kubeconfig string
	url        string
	client     *http.Client
	output     *lockedBuffer
	// ready is the time from the start of the process to the first 200 of /readyz.
	ready time.Duration
	// started is how much it had said by then.
	started int
}

// start runs examples/library over dataDir and waits until it is ready.
func start(t testing.TB, dataDir string, args ...string) *server {
	t.Helper()
	return startProgram(t, "library", dataDir, args...)
}

func startProgram(t testing.TB, name, dataDir string, args ...string) *server {
	t.Helper()
	s := &server{t: t, dataDir: dataDir, exited: make(chan error, 1), gone: make(chan struct{}), output: &lockedBuffer{}}
	s.cmd = exec.Command(filepath.Join(programs, name), append([]string{"--data-dir", dataDir, "--secure-port", "0"}, args...)...)
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stderr = s.output
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exported := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			fmt.Fprintln(s.output, lines.Text())
			if file, ok := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); ok {
				exported <- file
			}
		}
		s.exited <- s.cmd.Wait()
		close(s.gone)
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.gone // who removes its directory must not meet it there
	})
	select {
	case file := <-exported:
		s.kubeconfig = strings.Trim(file, `'"`)
	case err := <-s.exited:
		t.Fatalf("the server ended (%v) before it was ready:\n%s", err, s.output)
	case <-time.After(hangs):
		t.Fatalf("no export line after %v:\n%s", hangs, s.output)
	}
	s.connect()
	for {
		code, _ := s.get("/readyz")
		if code == http.StatusOK {
			break
		}
		if time.Since(began) > hangs {
			t.Fatalf("not ready after %v:\n%s", hangs, s.output)
		}
		time.Sleep(2 * time.Millisecond)
	}
	s.ready = time.Since(began)
	s.started = len(s.output.String())
	return s
}

// said is what the log has since the server was ready, without the records by which etcd complains
// of a slow machine.
func (s *server) said() (lines []string) {
	for line := range strings.Lines(s.output.String()[s.started:]) {
		if !slowMachine.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// slowMachine matches records that say nothing but that the machine, or its disk, is slow.
var slowMachine = regexp.MustCompile(`msg="(etcd: .*(took too long|slow fdatasync|leader is overloaded)|a health check failed)`)

// connect makes an HTTPS client of the kubeconfig.
func (s *server) connect() {
	s.t.Helper()
	data, err := os.ReadFile(s.kubeconfig)
	if err != nil {
		s.t.Fatal(err)
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
		s.t.Fatal(err)
	}
	s.url = config.Clusters[0].Cluster.Server
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(config.Clusters[0].Cluster.CA)
	pair, err := tls.X509KeyPair(config.Users[0].User.Cert, config.Users[0].User.Key)
	if err != nil {
		s.t.Fatal(err)
	}
	s.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}},
		ForceAttemptHTTP2: true,
	}}
}

// anonymous is s.client without the client certificate.
func (s *server) anonymous() *http.Client {
	config := s.client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.Certificates = nil
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}}
}

func (s *server) get(path string) (int, []byte) {
	code, body, err := s.do(http.MethodGet, path, "", nil)
	if err != nil {
		return 0, nil
	}
	return code, body
}

func (s *server) do(method, path, contentType string, body []byte) (int, []byte, error) {
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
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

// stop asks the server to end by sig and returns how it did: requests that it had to cut off are an
// error.
func (s *server) stop(sig syscall.Signal) error {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	select {
	case err := <-s.exited:
		return err
	case <-time.After(hangs):
		s.t.Fatalf("still running %v after %v:\n%s", hangs, sig, s.output)
		return nil
	}
}

// run runs the server with args until it ends by itself, for flags that keep it from starting.
func run(t *testing.T, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	code := 0
	if exit != nil {
		code = exit.ExitCode()
	}
	return string(out), code
}

// kubectl runs the stock kubectl against s, from the root of the repository.
func (s *server) kubectl(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(kubectlPath(t), args...)
	cmd.Dir = "../.."
	cmd.Env = kubectlEnv(t, s)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func kubectlPath(t *testing.T) string {
	t.Helper()
	tool := os.Getenv("KUBECTL")
	if tool == "" {
		t.Fatal("KUBECTL does not name a kubectl; run `make e2e`")
	}
	return tool
}

// kubectlEnv is an empty home with nothing cached.
func kubectlEnv(t *testing.T, s *server) []string {
	home := t.TempDir()
	return []string{"HOME=" + home, "KUBECONFIG=" + s.kubeconfig, "KUBECACHEDIR=" + home}
}

// lockedBuffer is a buffer that two goroutines may write.
type lockedBuffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
