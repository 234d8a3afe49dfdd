package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"syscall"
	"testing"
)

// TestWatchResumes opens watches at each revision of the past: every one sees each later event
// once, in order.
func TestWatchResumes(t *testing.T) {
	for _, cache := range []string{"--watch-cache=true", "--watch-cache=false"} {
		t.Run(cache, func(t *testing.T) {
			s := start(t, t.TempDir(), cache)
			defer s.stop(syscall.SIGTERM)
			const n = 20
			var revisions []string
			for i := range n {
				code, body, err := s.do(http.MethodPost, books, "application/json", book(fmt.Sprintf("book-%02d", i)))
				if err != nil || code != http.StatusCreated {
					t.Fatalf("create: %d %s %v", code, body, err)
				}
				var created struct {
					Metadata struct{ ResourceVersion string }
				}
				if err := json.Unmarshal(body, &created); err != nil {
					t.Fatal(err)
				}
				revisions = append(revisions, created.Metadata.ResourceVersion)
			}
			for i, from := range revisions[:n-1] {
				got := watchNames(t, s, from, n-1-i)
				for j, name := range got {
					if want := fmt.Sprintf("book-%02d", i+1+j); name != want {
						t.Errorf("event %d after revision %s is of %s, want %s", j, from, name, want)
					}
				}
			}
		})
	}
}

// watchNames returns the names in the first n events after a revision.
func watchNames(t *testing.T, s *server, from string, n int) []string {
	t.Helper()
	resp, err := s.Client.Get(s.URL + books + "?watch=true&timeoutSeconds=120&resourceVersion=" + from)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	var names []string
	for len(names) < n && lines.Scan() {
		var event struct {
			Type   string
			Object struct{ Metadata struct{ Name string } }
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		if event.Type != "ADDED" {
			t.Errorf("after %s: an event of type %s", from, event.Type)
		}
		names = append(names, event.Object.Metadata.Name)
	}
	if len(names) < n {
		t.Errorf("after %s: %d of %d events", from, len(names), n)
	}
	return names
}
