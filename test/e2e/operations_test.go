package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestOperations runs the commands of docs/operations.md.
func TestOperations(t *testing.T) {
	s := start(t, t.TempDir())
	runStory(t, s, "../../docs/operations.md")
}

// A migration runs beside a server that is written to, is killed in its middle and run again. Each
// object is rewritten once, no watcher notices anything but that, and nothing is lost.
func TestMigrateBesideAServer(t *testing.T) {
	const n = 300
	s := start(t, filepath.Join(t.TempDir(), "data"))
	defer s.stop(syscall.SIGTERM)
	fill(t, s, n)
	if code, _ := s.get("/debug/storage"); code != http.StatusOK {
		t.Errorf("/debug/storage: %d", code)
	}
	resp, err := s.anonymous().Get(s.URL + "/debug/storage")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("/debug/storage without a credential: %d", resp.StatusCode)
	}
	began := revision(t, s)
	events := s.bookEvents(t, began)

	// At this rate it would take half a minute.
	migrate := exec.Command(binary, "migrate", "--data-dir", s.dataDir, "--storage-media-type", "application/json", "--rate", "10")
	if err := migrate.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(hangs); staleBooks(t, s) < 30; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nothing has been migrated after %v", hangs)
		}
	}
	// Meanwhile, clients write too.
	for i := range 10 {
		name := fmt.Sprintf("book-%d", i*29)
		if code, body, err := s.do(http.MethodPatch, books+"/"+name, "application/merge-patch+json", []byte(`{"metadata":{"labels":{"patched":"yes"}}}`)); err != nil || code != http.StatusOK {
			t.Fatalf("patch: %d %s %v", code, body, err)
		}
	}
	migrate.Process.Kill()
	migrate.Wait()
	first := staleBooks(t, s)
	if first == 0 || first >= n {
		t.Fatalf("%d of %d books are in the other form after a while", first, n)
	}
	out, code := run(t, "migrate", "--data-dir", s.dataDir, "--storage-media-type", "application/json")
	if code != 0 {
		t.Fatalf("exit %d:\n%s", code, out)
	}
	if got := staleBooks(t, s); got != n {
		t.Errorf("%d books are in the other form, want %d", got, n)
	}

	// The watcher sees one event for each write. It sees at most one write more for each of the ten
	// that a client wrote to in the other form after it had been migrated.
	writes := revision(t, s) - began
	if writes < n+10 || writes > n+20 {
		t.Errorf("%d writes for %d books and 10 patches", writes, n)
	}
	seen, patched := map[string]bool{}, map[string]bool{}
	for range writes {
		e := events(t)
		if e.Type != "MODIFIED" || e.Object.Metadata.Generation != 1 {
			t.Fatalf("event %+v", e)
		}
		seen[e.Object.Metadata.Name] = true
		if e.Object.Metadata.Labels["patched"] == "yes" {
			patched[e.Object.Metadata.Name] = true
		} else if patched[e.Object.Metadata.Name] {
			t.Errorf("the patch of %s was undone", e.Object.Metadata.Name)
		}
	}
	if len(seen) != n || len(patched) != 10 {
		t.Errorf("events of %d books, %d of them patched", len(seen), len(patched))
	}
	if len(names(t, s)) != n {
		t.Errorf("%d books are left of %d", len(names(t, s)), n)
	}
}

func (s *server) mustCreate(t *testing.T, name string) {
	t.Helper()
	if code, body, err := s.do(http.MethodPost, books, "application/json", book(name)); err != nil || code != http.StatusCreated {
		t.Fatalf("create: %d %s %v", code, body, err)
	}
}

// staleBooks asks the server how many books are not stored as it would.
func staleBooks(t *testing.T, s *server) int64 {
	t.Helper()
	_, body := s.get("/debug/storage")
	var report struct {
		Resources []struct {
			Resource       string
			Objects, Stale int64
		}
	}
	if err := json.Unmarshal(body, &report); err != nil || !strings.HasPrefix(report.Resources[0].Resource, "books.") {
		t.Fatalf("%v in %s", err, body)
	}
	return report.Resources[0].Stale
}

type bookEvent struct {
	Type   string
	Object struct {
		Metadata struct {
			Name       string
			Generation int64
			Labels     map[string]string
		}
	}
}

// revision is the revision that the server is at.
func revision(t *testing.T, s *server) int {
	t.Helper()
	_, body := s.get(books + "?limit=1")
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(list.Metadata.ResourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// bookEvents follows the books after a revision; the function that it returns waits for the next
// event.
func (s *server) bookEvents(t *testing.T, after int) func(*testing.T) bookEvent {
	t.Helper()
	resp, err := s.Client.Get(s.URL + books + "?watch=true&resourceVersion=" + strconv.Itoa(after))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return func(t *testing.T) bookEvent {
		t.Helper()
		stuck := time.AfterFunc(hangs, func() { resp.Body.Close() })
		defer stuck.Stop()
		if !lines.Scan() {
			t.Fatalf("the watch ended: %v", lines.Err())
		}
		var e bookEvent
		if err := json.Unmarshal(bytes.TrimSpace(lines.Bytes()), &e); err != nil {
			t.Fatalf("%v in %s", err, lines.Bytes())
		}
		return e
	}
}
