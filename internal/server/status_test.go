package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// TestBadQuery: every request for a resource whose query cannot be parsed is a 400, because the
// malformed part could be a selector or dryRun. Documents are answered, and a proxy gets the raw
// query.
func TestBadQuery(t *testing.T) {
	options := logs(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }, "GET", "POST")
	raw := ""
	proxy := logs(func(_ http.ResponseWriter, req *http.Request) { raw = req.URL.RawQuery }, "GET", "POST")
	proxy.Subresource, proxy.ConnectBelow, proxy.ConnectParameters = "proxy", true, nil
	s := newServer(t, config(t, books(), options, proxy))
	send := func(method, path, query string) *httptest.ResponseRecorder {
		req := request{method: method, path: path, body: goodBook}.build()
		req.URL.RawQuery = query
		return answerTo(s, req)
	}
	queries := map[string]string{
		"dryRun=%zz":                             `the query can't be read: invalid URL escape "%zz"`,
		"a=b;dryRun=All":                         "the query can't be read: invalid semicolon separator in query",
		"labelSelector=zz;x=1":                   "the query can't be read: invalid semicolon separator in query",
		"watch=1;x":                              "the query can't be read: invalid semicolon separator in query",
		"limit=1" + strings.Repeat("&a", 10_000): "the query can't be read: number of URL query parameters exceeded limit",
	}
	const old = "/apis/library.example.com/v1/watch/namespaces/ns/books"
	for query, want := range queries {
		for _, r := range [][2]string{
			{"GET", booksPath}, {"HEAD", booksPath}, {"POST", booksPath}, {"DELETE", booksPath}, {"GET", bookPath}, {"PUT", bookPath}, {"PATCH", bookPath}, {"DELETE", bookPath},
			{"GET", old}, {"GET", old + "/b"}, {"GET", booksPath + "/b/log"}, {"POST", booksPath + "/b/log"}, {"POST", "/readyz"}, {"GET", "/apis/library.example.com/v1/nothing"},
		} {
			wantStatus(t, send(r[0], r[1], query), http.StatusBadRequest, metav1.StatusReasonBadRequest, want)
		}
		for _, path := range []string{"/livez", "/version", "/apis", "/apis/library.example.com/v1", "/openapi/v2", "/openapi/v3"} {
			if w := send("GET", path, query); w.Code != http.StatusOK {
				t.Errorf("%s?%.40s: %d %s", path, query, w.Code, w.Body)
			}
		}
		for _, method := range []string{"GET", "POST"} {
			if w := send(method, booksPath+"/b/proxy/x", query); w.Code != http.StatusOK || raw != query {
				t.Errorf("proxy: %d, %.40q; want %.40q", w.Code, raw, query)
			}
			raw = ""
		}
	}
}

// What a client sent is not sent back to it many times over.
func TestLongStatus(t *testing.T) {
	long := strings.Repeat("\u00e4", 50_000)
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "Book"}, long, field.ErrorList{field.Invalid(field.NewPath("spec"), long, long)})
	s := getting(t, func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { return nil, invalid })
	for range 2 { // the error itself stays as it is
		w := do(s, request{path: bookPath})
		var status metav1.Status
		if err := json.Unmarshal(w.Body.Bytes(), &status); err != nil || w.Code != 422 || w.Body.Len() > 32<<10 {
			t.Fatalf("%d, %d bytes, %v", w.Code, w.Body.Len(), err)
		}
		if !strings.HasSuffix(status.Details.Name, "\u00e4... (91808 more bytes)") || status.Details.Causes[0].Field != "spec" {
			t.Errorf("details %.100s ... %s", status.Details.Name, status.Details.Name[len(status.Details.Name)-50:])
		}
	}
	if invalid.ErrStatus.Details.Name != long {
		t.Error("the error has been changed")
	}
}

// The log is about the server: it says when something fails, and not what clients do wrong.
func TestLogOfFailures(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	future := apierrors.NewTimeoutError("Too large resource version: 9, current: 1", 1)
	future.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	for name, tc := range map[string]struct {
		ctx    context.Context
		err    error
		logged bool
	}{
		"disk":              {context.Background(), errors.New("disk on fire"), true},
		"timeout":           {context.Background(), apierrors.NewTimeoutError("too slow", 0), true},
		"revision to come":  {context.Background(), future, false},
		"client has left":   {gone, context.Canceled, false},
		"client's mistake":  {context.Background(), apierrors.NewBadRequest("no"), false},
		"any other's fault": {context.Background(), apierrors.NewServiceUnavailable("later"), true},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			r := books()
			r.Get = getFunc(func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { return nil, tc.err })
			c := config(t, r)
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
			answerTo(newServer(t, c), request{path: bookPath}.build().WithContext(tc.ctx))
			if logged := strings.Contains(log.String(), "a request failed"); logged != tc.logged {
				t.Errorf("logged: %t\n%s", logged, &log)
			}
		})
	}
}

// A body that never comes is answered when the time of the request is over, and is no failure of
// the server.
func TestSlowBody(t *testing.T) {
	for _, proto := range []string{"http/1.1", "h2"} {
		t.Run(proto, func(t *testing.T) {
			log := new(safeBuffer)
			c := config(t, books())
			c.Log = textLog(log)
			ts := start(t, newServer(t, c))
			req := request{method: "POST", path: booksPath + "?timeout=200ms"}.build()
			req.RequestURI, req.URL.Scheme, req.URL.Host = "", "https", ts.Listener.Addr().String()
			body, never := io.Pipe()
			defer never.Close()
			req.Body, req.ContentLength = body, 100
			resp, err := clientFor(t, ts.Client(), proto).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusGatewayTimeout || !strings.Contains(string(text), "the body of the request did not arrive in time") {
				t.Errorf("%v: %d %s", err, resp.StatusCode, text)
			}
			if log.String() != "" {
				t.Errorf("the log has %s", log)
			}
		})
	}
}

// A client that gives no time hears that, and not that its body came late.
func TestNoTime(t *testing.T) {
	log := new(safeBuffer)
	c := config(t, books())
	c.Log = textLog(log)
	ts := start(t, newServer(t, c))
	req := request{method: "POST", path: booksPath + "?timeout=1ns", body: `{"metadata":{"name":"b"}}`}.build()
	req.RequestURI, req.URL.Scheme, req.URL.Host = "", "https", ts.Listener.Addr().String()
	resp, err := clientFor(t, ts.Client(), "http/1.1").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusGatewayTimeout || !strings.Contains(string(text), "request did not complete within the allotted timeout") {
		t.Errorf("%v: %d %s", err, resp.StatusCode, text)
	}
	if log.String() != "" {
		t.Errorf("the log has %s", log)
	}
}

// safeBuffer is written by one goroutine and read by another.
type safeBuffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
