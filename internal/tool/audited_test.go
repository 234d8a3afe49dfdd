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
	auditIn(t.TempDir()).ServeHTTP(w, httptest.NewRequest("GET", "/audit/", nil))
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "--audit-log-path") {
		t.Errorf("without a log: %d %s", w.Code, w.Body)
	}
}
