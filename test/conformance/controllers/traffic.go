package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// traffic is what passes between the controllers and the server.
type traffic struct {
	mu         sync.Mutex // guards what follows
	watchLists int        // watches that began with all objects, in protobuf
	refused    []string   // writes that the server found fault with, or could not do
}

func (t *traffic) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err == nil {
			t.note(r, resp)
		}
		return resp, err
	})
}

func (t *traffic) note(r *http.Request, resp *http.Response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if resp.StatusCode == http.StatusOK && r.URL.Query().Get("sendInitialEvents") == "true" && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/vnd.kubernetes.protobuf") {
		t.watchLists++
	}
	if r.Method != http.MethodGet && faulty(resp.StatusCode) {
		t.refused = append(t.refused, fmt.Sprintf("%s %s: %s", r.Method, r.URL.Path, resp.Status))
	}
}

// faulty says whether an answer blames the request or the server. Controllers bear it well that an
// object is gone or has changed, and that a namespace takes nothing any more.
func faulty(code int) bool {
	switch code {
	case http.StatusNotFound, http.StatusConflict, http.StatusForbidden:
		return false
	}
	return code >= 400
}

// wireChecks are of what passed while the others ran.
func wireChecks(t *traffic) []check {
	return []check{
		{"wire: informers begin with a WatchList, in protobuf", func(context.Context) error {
			t.mu.Lock()
			defer t.mu.Unlock()
			return want(t.watchLists >= 15, "%d did", t.watchLists)
		}},
		{"wire: no write of a controller is found invalid, or fails in the server", func(context.Context) error {
			t.mu.Lock()
			defer t.mu.Unlock()
			if len(t.refused) == 0 {
				return nil
			}
			return fmt.Errorf("%d of them, the first: %s", len(t.refused), t.refused[0])
		}},
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
