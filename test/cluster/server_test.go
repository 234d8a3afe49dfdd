package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/testserver"
)

// programs is where the programs are built, library is examples/library, built once.
var programs, library string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = dir
	if library, err = build("library"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// build builds an example.
func build(example string) (program string, err error) {
	program = filepath.Join(programs, example)
	build := exec.Command("go", "build", "-o", program, "./examples/"+example)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

var clusterBuilt = sync.OnceValues(func() (string, error) { return build("cluster") })

// buildCluster builds examples/cluster, once.
func buildCluster(t *testing.T) string {
	t.Helper()
	program, err := clusterBuilt()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// server is a running program. What it logs is in a file.
type server struct {
	*testserver.Process
	log string
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
	t.Cleanup(func() {
		if t.Failed() {
			text, _ := os.ReadFile(s.log)
			t.Logf("the server's log ends with\n%s", text[max(0, len(text)-2048):])
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if s.Process, err = testserver.Start(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

func (s *server) do(ctx context.Context, method, path, contentType string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(body))
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
