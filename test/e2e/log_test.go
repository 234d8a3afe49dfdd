package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNobodyReadsTheLog: who reads a server's log stops for a while. The pipe is full soon, and
// requests are answered anyway.
func TestNobodyReadsTheLog(t *testing.T) {
	s := start(t, t.TempDir(), "--v=3")
	defer s.stop(syscall.SIGTERM)
	const n = 1000 // lines; a pipe holds 64 KiB
	s.output.mu.Lock()
	func() {
		defer s.output.mu.Unlock()
		s.Client.Timeout = hangs
		for i := range n {
			if code, _ := s.get(fmt.Sprintf("%s?limit=%d", books, i+1)); code != http.StatusOK {
				t.Fatalf("request %d, while nobody reads the log: %d", i, code)
			}
		}
		if code, body, err := s.do(http.MethodPost, books, "application/json", book("quiet")); err != nil || code != http.StatusCreated {
			t.Fatalf("create: %d %s %v", code, body, err)
		}
		if code, body := s.get("/readyz"); code != http.StatusOK {
			t.Errorf("/readyz: %d %s", code, body)
		}
	}()
	for end := time.Now().Add(hangs); strings.Count(s.output.String(), books) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d lines of %d came out", strings.Count(s.output.String(), books), n)
		}
	}
}
