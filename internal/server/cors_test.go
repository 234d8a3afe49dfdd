package server_test

import (
	"net/http"
	"regexp"
	"testing"
)

func TestCORS(t *testing.T) {
	c := config(t, books())
	c.CORSOrigins = []*regexp.Regexp{regexp.MustCompile(`^https://good\.example$`)}
	s := newServer(t, c)
	for _, tc := range []struct {
		method, origin, user string
		code                 int
		allowed              string
	}{
		{"OPTIONS", "https://good.example", "", http.StatusNoContent, "https://good.example"},
		{"GET", "https://good.example", "admin", http.StatusOK, "https://good.example"},
		{"GET", "https://good.example", "", http.StatusUnauthorized, "https://good.example"},
		{"OPTIONS", "https://good.example.evil", "", http.StatusUnauthorized, ""},
		{"GET", "https://bad.example", "admin", http.StatusOK, ""},
		{"GET", "", "admin", http.StatusOK, ""},
	} {
		w := do(s, request{method: tc.method, path: booksPath, header: map[string]string{"Origin": tc.origin, "Test-User": tc.user}})
		if w.Code != tc.code || w.Header().Get("Access-Control-Allow-Origin") != tc.allowed {
			t.Errorf("%+v: %d %q", tc, w.Code, w.Header().Get("Access-Control-Allow-Origin"))
		}
	}
}
