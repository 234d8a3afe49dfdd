// Package e2e drives a server as its users do: a binary built from examples/library, a stock
// kubectl, and plain HTTPS. Start reading at TestKubectl.
package e2e

import (
	"bytes"
	"context"
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

	"github.com/typeplane/typeplane/internal/testserver"
)

// programs is the folder of the programs under test, built once. binary is the program that most
// tests are about.
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
	t testing.TB
	*testserver.Process
	dataDir string
	output  *lockedBuffer
	// ready is the time from the start of the process to the first 200 of /readyz.
	ready time.Duration
	// started is how much it had said by then.
	started int
}

// start runs examples/library over dataDir and waits until it is ready. It serves its own kinds
// alone, and writes nothing by itself: tests count what is written.
func start(t testing.TB, dataDir string, args ...string) *server {
	t.Helper()
	return startProgram(t, "library", dataDir, ownKinds(args...)...)
}

func startProgram(t testing.TB, name, dataDir string, args ...string) *server {
	t.Helper()
	s := &server{t: t, dataDir: dataDir, output: &lockedBuffer{}}
	cmd := exec.Command(filepath.Join(programs, name), append([]string{"--data-dir", dataDir, "--secure-port", "0"}, args...)...)
	cmd.Stderr = s.output
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	began := time.Now()
	var err error
	if s.Process, err = testserver.Start(ctx, cmd); err != nil {
		t.Fatalf("%v\n%s", err, s.output)
	}
	t.Cleanup(s.Kill) // who removes its directory must not meet it there
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

// anonymous is s.Client without the client certificate.
func (s *server) anonymous() *http.Client {
	config := s.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
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
	req, err := http.NewRequest(method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := s.Client.Do(req)
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
	if err := s.Cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.Ended():
		return s.Err()
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
	return []string{"HOME=" + home, "KUBECONFIG=" + s.Kubeconfig, "KUBECACHEDIR=" + home}
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
