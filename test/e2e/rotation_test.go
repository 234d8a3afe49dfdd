package e2e

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestRotation changes the key of encryption under clients that read and write, as
// docs/encryption.md says. The server is killed while it writes everything again, and goes on. In
// the end nothing lies there under the old key, and all of it can be read without.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	file, data := filepath.Join(dir, "encryption.yaml"), filepath.Join(dir, "data")
	keep := func(keys ...string) {
		t.Helper()
		var config strings.Builder
		config.WriteString("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [books.library.example.com]\n  providers:\n  - aesgcm:\n      keys:\n")
		for _, key := range keys {
			secret := base64.StdEncoding.EncodeToString([]byte((key + strings.Repeat("-", 32))[:32]))
			fmt.Fprintf(&config, "      - name: %s\n        secret: %s\n", key, secret)
		}
		if err := os.WriteFile(file+".next", []byte(config.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".next", file); err != nil {
			t.Fatal(err)
		}
	}
	begin := func() *server {
		return startProgram(t, "library", data, "--enable-api=none", "--encryption-provider-config", file, "--storage-migration-rate=400")
	}
	const count = 400
	keep("old")
	s := begin()
	fill(t, s, count)

	var failed, calls atomic.Int64
	load := func(s *server) (stop func()) {
		var all sync.WaitGroup
		done := make(chan struct{})
		for client := range 4 {
			all.Go(func() {
				for n := client; ; n += 4 {
					select {
					case <-done:
						return
					case <-time.After(5 * time.Millisecond):
					}
					path := books + fmt.Sprintf("/book-%d", n%count)
					code, body, err := s.do(http.MethodPatch, path, "application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"copies":%d}}`, n))
					if err == nil && code == http.StatusOK {
						code, body, err = s.do(http.MethodGet, path, "", nil)
					}
					calls.Add(2)
					if err != nil || code != http.StatusOK {
						failed.Add(1)
						t.Errorf("%s: %d %.200s %v", path, code, body, err)
					}
				}
			})
		}
		return func() { close(done); all.Wait() }
	}
	effect := func(s *server, what string) {
		t.Helper()
		for end := time.Now().Add(hangs); !strings.Contains(s.output.String(), what); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("no %q in\n%s", what, s.output)
			}
		}
	}

	stop := load(s)
	keep("old", "new")
	effect(s, "aesgcm [old new]")
	keep("new", "old")
	effect(s, "aesgcm [new old]")
	stop()
	s.Cmd.Process.Kill() // in the middle of writing it all again, or soon after
	<-s.Ended()
	s = begin()
	stop = load(s)
	for end := time.Now().Add(hangs); staleBooks(t, s) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d books are not written again after %v:\n%s", staleBooks(t, s), hangs, s.output)
		}
	}
	old := underKey(t, data, "old")
	if old > 0 {
		t.Errorf("%d books are under the old key", old)
	}
	keep("new")
	effect(s, "aesgcm [new]\"")
	stop()
	unreadable := count - len(names(t, s))
	if unreadable != 0 {
		t.Errorf("%d books can't be read", unreadable)
	}
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v:\n%s", err, s.output)
	}
	s = begin() // which reads all of it from the disk
	unreadable += count - len(names(t, s))
	drill.Rotation.Count("rotations", 1)
	drill.Rotation.Count("calls", int(calls.Load()))
	drill.Rotation.Count("failed calls", int(failed.Load()))
	drill.Rotation.Count("values under the old key", old)
	drill.Rotation.Count("objects unreadable", unreadable)
}

// underKey is how many books lie there under a key, as inspect says.
func underKey(t *testing.T, data, key string) (n int) {
	t.Helper()
	out, code := run(t, "inspect", "/", "--data-dir", data)
	if code != 0 || !strings.Contains(out, "aesgcm") {
		t.Fatalf("inspect: exit %d\n%.2000s", code, out)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, "/books/") && strings.Contains(line, key) {
			n++
		}
	}
	return n
}
