package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	r := books()
	r.Get = getFunc(func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { panic("boom") })
	c := config(t, r)
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	s := newServer(t, c)
	w := do(s, request{path: bookPath, header: map[string]string{"Audit-Id": "a-1"}})
	wantStatus(t, w, http.StatusInternalServerError, metav1.StatusReasonInternalError,
		"Internal error occurred: this request made the server panic; its log says more under the audit ID a-1")
	for _, want := range []string{"panic=boom", "auditID=a-1", "path=" + bookPath, "middleware_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, &log)
		}
	}
	if w := do(s, request{path: booksPath}); w.Code != http.StatusOK {
		t.Errorf("the server does not go on: %d", w.Code)
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	s := newServer(t, config(t, books()))
	for _, path := range []string{bookPath, booksPath, "/apis", "/nothing", "/livez"} {
		w := do(s, request{path: path, header: map[string]string{"Audit-Id": "my-id"}})
		if w.Header().Get("Audit-Id") != "my-id" || w.Header().Get("Cache-Control") != "no-cache, private" {
			t.Errorf("%s: %v", path, w.Header())
		}
	}
	first, second := do(s, request{path: "/livez"}).Header().Get("Audit-Id"), do(s, request{path: "/livez"}).Header().Get("Audit-Id")
	if len(first) != 36 || first == second {
		t.Errorf("new IDs: %q, %q", first, second)
	}
	w := do(s, request{path: "/livez", header: map[string]string{"Audit-Id": strings.Repeat("x", 1000)}})
	if len(w.Header().Get("Audit-Id")) != 36 {
		t.Error("an ID of any length is taken over")
	}
}

func TestDeadline(t *testing.T) {
	var got time.Time
	note := func(ctx context.Context) { got, _ = ctx.Deadline() }
	r := books()
	r.Get = getFunc(func(ctx context.Context, n rest.Name, _ metav1.GetOptions) (rest.View, error) {
		note(ctx)
		return aBook(n.Name), nil
	})
	r.Create = createFunc(func(ctx context.Context, _ *rest.Request, _ rest.Name, obj rest.Body, _ metav1.CreateOptions) (rest.View, error) {
		note(ctx)
		return objectView{obj}, nil
	})
	r.Watch = watchFunc(func(ctx context.Context, _ string, _ metav1.ListOptions) (rest.Stream, error) {
		note(ctx)
		return endedStream(), nil
	})
	s := newServer(t, config(t, r))
	for _, tc := range []struct {
		name     string
		request  request
		min, max time.Duration
	}{
		{"read", request{path: bookPath}, 60 * time.Second, 60 * time.Second},
		{"write", request{method: "POST", path: booksPath, body: goodBook}, 34 * time.Second, 34 * time.Second},
		{"shorter", request{path: bookPath + "?timeout=5s"}, 5 * time.Second, 5 * time.Second},
		{"not longer", request{path: bookPath + "?timeout=5m"}, 60 * time.Second, 60 * time.Second},
		{"zero is none", request{path: bookPath + "?timeout=0s"}, 60 * time.Second, 60 * time.Second},
		{"watch", request{path: booksPath + "?watch=1"}, 30 * time.Minute, 60 * time.Minute},
		{"watch that says", request{path: booksPath + "?watch=1&timeoutSeconds=400"}, 400 * time.Second, 400 * time.Second},
		{"watch of 0", request{path: booksPath + "?watch=1&timeoutSeconds=0"}, 30 * time.Minute, 60 * time.Minute},
		{"watch for ever", request{path: booksPath + "?watch=1&timeoutSeconds=9223372036854775807"}, 24 * time.Hour, 1e6 * time.Hour},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got = time.Time{}
			before := time.Now()
			if w := do(s, tc.request); w.Code >= 300 {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
			if got.Before(before.Add(tc.min)) || got.After(time.Now().Add(tc.max)) {
				t.Errorf("the deadline is %s after the request began, want %s to %s", got.Sub(before), tc.min, tc.max)
			}
		})
	}
}

func TestDeadlineIsAnswered(t *testing.T) {
	s := getting(t, func(ctx context.Context, _ rest.Name, _ metav1.GetOptions) (rest.View, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	w := do(s, request{path: bookPath + "?timeout=10ms"})
	wantStatus(t, w, http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "Timeout: request did not complete within the allotted timeout")
}
