package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/server"
)

func check(name string, err error) server.Check {
	return server.Check{Name: name, Check: func(context.Context) error { return err }}
}

func TestHealth(t *testing.T) {
	c := config(t, books())
	c.Livez = []server.Check{check("log", nil)}
	noted := check("members", nil)
	noted.Note = func() string { return "without 10.0.0.8" }
	c.Livez = append(c.Livez, noted, server.Check{Name: "quiet", Check: noted.Check, Note: func() string { return "" }})
	c.Readyz = []server.Check{check("storage", errors.New("no quorum at 10.0.0.7"))}
	file := check("file", errors.New("line 3"))
	file.Note = func() string { return "which is no file of yours" }
	c.Healthz = []server.Check{file}
	s := newServer(t, c)
	for _, tc := range []struct {
		path string
		user string
		code int
		want string
	}{
		{"/livez", "u", 200, "ok"},
		{"/livez?verbose", "u", 200, "[+]ping ok\n[+]log ok\n[+]members ok, without 10.0.0.8\n[+]quiet ok\nlivez check passed\n"},
		{"/livez/log", "u", 200, "ok"},
		{"/livez?verbose", "", 200, "ok"},
		{"/readyz", "u", 500, "[+]ping ok\n[+]log ok\n[+]members ok, without 10.0.0.8\n[+]quiet ok\n[-]storage failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n"},
		{"/readyz?verbose", "", 500, "readyz check failed\n"},
		{"/readyz?exclude=storage", "u", 200, "ok"},
		{"/readyz?exclude=storage", "", 200, "ok"},
		{"/readyz?verbose&exclude=storage&exclude=log", "u", 200, "[+]ping ok\n[+]log excluded: ok\n[+]members ok, without 10.0.0.8\n[+]quiet ok\n[+]storage excluded: ok\n[+]shutdown ok\nreadyz check passed\n"},
		{"/readyz?verbose&exclude=storage&exclude=typo", "u", 200, "[+]ping ok\n[+]log ok\n[+]members ok, without 10.0.0.8\n[+]quiet ok\n[+]storage excluded: ok\n[+]shutdown ok\nwarn: some health checks cannot be excluded: no matches for \"typo\"\nreadyz check passed\n"},
		{"/readyz/storage", "u", 500, "internal server error: no quorum at 10.0.0.7\n"},
		{"/healthz", "u", 500, "[+]ping ok\n[+]log ok\n[+]members ok, without 10.0.0.8\n[+]quiet ok\n[-]storage failed: reason withheld\n[-]file failed: which is no file of yours\nhealthz check failed\n"},
		{"/healthz?exclude=storage", "u", 500, "[+]ping ok\n[+]log ok\n[+]members ok, without 10.0.0.8\n[+]quiet ok\n[+]storage excluded: ok\n[-]file failed: which is no file of yours\nhealthz check failed\n"},
		{"/healthz/file", "u", 500, "internal server error: line 3\n"},
		{"/healthz/storage", "u", 500, "internal server error: no quorum at 10.0.0.7\n"},
	} {
		w := do(s, request{path: tc.path, header: map[string]string{"Test-User": tc.user}})
		if w.Code != tc.code || w.Body.String() != tc.want {
			t.Errorf("%s as %q: got %d %q, want %d %q", tc.path, tc.user, w.Code, w.Body, tc.code, tc.want)
		}
		if got := w.Header().Get("Content-Type"); got != "text/plain; charset=utf-8" {
			t.Errorf("%s: Content-Type %q", tc.path, got)
		}
	}
}

// TestHealthForNobody: a check fails for a client that has gone. That says nothing of the server,
// and a client that goes a thousand times a second must not fill the log.
func TestHealthForNobody(t *testing.T) {
	var log strings.Builder
	c := config(t, books())
	c.Log = textLog(&log)
	c.Readyz = []server.Check{{Name: "storage", Check: func(ctx context.Context) error { return ctx.Err() }}, check("quorum", errors.New("none"))}
	s := newServer(t, c)
	gone, leave := context.WithCancel(t.Context())
	leave()
	s.ServeHTTP(httptest.NewRecorder(), request{path: "/readyz"}.build().WithContext(gone))
	if log.Len() > 0 {
		t.Errorf("logged: %s", log.String())
	}
	if do(s, request{path: "/readyz"}); !strings.Contains(log.String(), "check=quorum") {
		t.Errorf("logged for a client that waits: %q", log.String())
	}
}

func TestVersion(t *testing.T) {
	s := newServer(t, config(t, books()))
	w := do(s, request{path: "/version"})
	var got server.Version
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Major != "1" || got.Minor != "37" || got.GitVersion != "v1.37.0" || got.GitCommit != "c0ffee" || !strings.HasPrefix(got.GoVersion, "go") || got.Platform == "" || got.Compiler == "" {
		t.Errorf("got %+v", got)
	}
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}
