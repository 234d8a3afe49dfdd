// Package console uses the console in Debian's Chromium, driven from Go: a short walk for make
// test, and a table of many objects that change. The long walk, with pictures and axe, is look.mjs
// in internal/console/web. Start reading at TestSmoke.
package console

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/testserver"
)

// hangs is after which time something that has to happen is taken to hang.
const hangs = 2 * time.Minute

// library is the program that most tests look at.
func library(t *testing.T) string {
	t.Helper()
	return example(t, "library")
}

// example builds a program below examples, and returns its file.
func example(t *testing.T, name string) string {
	t.Helper()
	program, err := filepath.Abs("../../bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-p", "2", "-o", program, "./examples/"+name)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// start runs a server of the program in a directory of its own, until the test ends.
func start(t *testing.T, program string, args ...string) *testserver.Process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	all := append([]string{"--data-dir", t.TempDir(), "--secure-port", "0"}, args...)
	server, err := testserver.Start(ctx, exec.Command(program, all...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	return server
}

// openConsole runs the command, and returns the address that it prints.
func openConsole(t *testing.T, program, kubeconfig string) string {
	t.Helper()
	cmd := exec.Command(program, "console", "--kubeconfig", kubeconfig, "--no-browser")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "?token=") {
			return strings.TrimSpace(lines.Text())
		}
	}
	cmd.Wait()
	t.Fatalf("the command has printed no address\n%s", &said)
	return ""
}

// books is where the books of a namespace are.
func books(namespace string) string {
	return "/apis/library.example.com/v1/namespaces/" + namespace + "/books"
}

// book is one, as JSON.
func book(name, title string) map[string]any {
	return map[string]any{
		"apiVersion": "library.example.com/v1", "kind": "Book",
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"title": title},
	}
}

func namespace(name string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
}

// send asks the server, as its administrator.
func send(ctx context.Context, s *testserver.Process, method, path string, body any) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	contentType := "application/json"
	if method == http.MethodPatch {
		contentType = "application/merge-patch+json"
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := s.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode > 299 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	return answer, err
}
