package tool

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
)

// TestAuditedShowsTheEnd: of a log of any size the last whole records are shown, the newest one
// first, without what was sent.
func TestAuditedShowsTheEnd(t *testing.T) {
	for _, tc := range []struct{ records, size, cut, want int }{
		{0, 0, 0, 0}, {1, 10, 0, 1}, {3, 10, 7, 2}, {99, 100, 0, 99}, {101, 100, 0, 100}, {5000, 2000, 0, 100}, {50, 300 << 10, 0, 3},
	} {
		var log strings.Builder
		for n := range tc.records {
			fmt.Fprintf(&log, `{"kind":"Event","auditID":"%d","verb":"create","user":{"username":"ada"},"requestObject":{"secret":"%s"}}`+"\n", n, strings.Repeat("x", tc.size))
		}
		file := filepath.Join(t.TempDir(), "audit.log")
		if err := os.WriteFile(file, []byte(log.String()[:log.Len()-tc.cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		(&audited{file}).ServeHTTP(w, httptest.NewRequest("GET", "/audit/", nil))
		var shown tailOf
		if err := json.Unmarshal(w.Body.Bytes(), &shown); err != nil || strings.Contains(w.Body.String(), "secret") {
			t.Fatalf("%+v: %d %v", tc, w.Code, err)
		}
		newest := tc.records - 1
		if tc.cut > 0 {
			newest--
		}
		if len(shown.Events) != tc.want || tc.want > 0 && (shown.Events[0].AuditID != fmt.Sprint(newest) || shown.Events[tc.want-1].AuditID != fmt.Sprint(newest-tc.want+1)) {
			t.Errorf("%+v: %d records", tc, len(shown.Events))
		}
	}
	w := httptest.NewRecorder()
	(&audited{filepath.Join(t.TempDir(), "audit.log")}).ServeHTTP(w, httptest.NewRequest("GET", "/audit/", nil))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "--audit-log-path") {
		t.Errorf("without a log: %d %s", w.Code, w.Body)
	}
}

// TestWhereTheAuditLogIs: the flag means what the server's means.
func TestWhereTheAuditLogIs(t *testing.T) {
	for _, tc := range []struct{ path, kubeconfig, want string }{
		{"", "", filepath.Join("data", "audit", "audit.log")}, {"auto", "", filepath.Join("data", "audit", "audit.log")},
		{"/var/log/a", "", "/var/log/a"}, {"/var/log/a", "k", "/var/log/a"}, {"", "k", ""}, {"auto", "k", ""}, {"-", "", ""},
	} {
		b := &browseTool{store: &program.StoreOptions{DataDir: "data"}, auditLog: tc.path, kubeconfig: tc.kubeconfig}
		got := ""
		if a, ok := b.audit().(*audited); ok {
			got = a.file
		}
		if got != tc.want {
			t.Errorf("--audit-log-path=%q --kubeconfig=%q: %q, want %q", tc.path, tc.kubeconfig, got, tc.want)
		}
	}
}
