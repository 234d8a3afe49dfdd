package server_test

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	booksPath = "/apis/library.example.com/v1/namespaces/ns/books"
	bookPath  = booksPath + "/b"
	notOurs   = "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"
	noStream  = "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
)

func TestAccept(t *testing.T) {
	s := newServer(t, config(t, books()))
	for _, tc := range []struct {
		name, accept, want string // want is the Content-Type, "" is a 406
	}{
		{"none", "", "application/json"},
		{"anything", "*/*", "application/json"},
		{"any application", "application/*", "application/json"},
		{"yaml", "application/yaml", "application/yaml"},
		{"upper case", "Application/YAML", "application/yaml"},
		{"in the order given", "application/yaml, application/json", "application/yaml"},
		{"by quality", "application/yaml;q=0.2, application/json;q=0.8", "application/json"},
		{"named before unnamed", "*/*, application/yaml", "application/yaml"},
		{"quality before name", "application/yaml;q=0.5, */*", "application/json"},
		{"quality 0 is never", "application/json;q=0, application/yaml", "application/yaml"},
		{"unknown types are skipped", "text/html, application/yaml", "application/yaml"},
		{"unknown parameters don't matter", "application/yaml;charset=utf-8", "application/yaml"},
		{"only a table of another group", "application/json;as=Table;v=v1;g=example.com", ""},
		{"text", "text/html", ""},
		{"nonsense", ";;;,", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := do(s, request{path: bookPath, header: map[string]string{"Accept": tc.accept}})
			if tc.want == "" {
				wantStatus(t, w, http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, notOurs)
				return
			}
			if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != tc.want {
				t.Errorf("got %d %q, want %q", w.Code, got, tc.want)
			}
		})
	}
}

func TestAcceptOfWatch(t *testing.T) {
	s := newServer(t, config(t, books()))
	for _, accept := range []string{"application/json;stream=other", "application/json;as=Table;v=v2;g=meta.k8s.io", "text/plain"} {
		w := do(s, request{path: booksPath + "?watch=1", header: map[string]string{"Accept": accept}})
		wantStatus(t, w, http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, noStream)
	}
	// YAML can't be streamed, but the error can be said in it.
	w := do(s, request{path: booksPath + "?watch=1", header: map[string]string{"Accept": "application/yaml"}})
	if w.Code != http.StatusNotAcceptable || !strings.Contains(w.Body.String(), "reason: NotAcceptable") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// What keeps no object can't show the steps to it.
func TestStepsOfNothing(t *testing.T) {
	s := newServer(t, config(t, books()))
	accept := map[string]string{"Accept": "application/json;as=WriteSteps;v=v1;g=typeplane.io", "Content-Type": "application/json"}
	w := do(s, request{method: http.MethodPost, path: booksPath + "?dryRun=All", header: accept, body: `{"metadata":{"name":"b"}}`})
	wantStatus(t, w, http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, notOurs)
}

// An error is written in the type that was asked for, too.
func TestErrorsAreNegotiated(t *testing.T) {
	s := newServer(t, config(t, books()))
	for accept, prefix := range map[string]string{
		"application/yaml":                    "apiVersion: v1\ncode: 404\n",
		"application/vnd.kubernetes.protobuf": "k8s\x00\x0a\x0c\x0a\x02v1\x12\x06Status",
		"application/json":                    `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure"`,
		"text/html":                           `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure"`,
	} {
		w := do(s, request{path: "/apis/library.example.com/v1/papers", header: map[string]string{"Accept": accept}})
		if w.Code != http.StatusNotFound || !strings.HasPrefix(w.Body.String(), prefix) {
			t.Errorf("Accept %s: got %d %q", accept, w.Code, w.Body)
		}
	}
}

func TestPretty(t *testing.T) {
	s := newServer(t, config(t, books()))
	for _, tc := range []struct {
		name   string
		query  string
		header map[string]string
		want   bool
	}{
		{"by default", "", nil, false},
		{"query", "?pretty=true", nil, true},
		{"query 1", "?pretty=1", nil, true},
		{"accept", "", map[string]string{"Accept": "application/json;pretty=1"}, true},
		{"curl", "", map[string]string{"User-Agent": "curl/8.0"}, true},
		{"wget", "", map[string]string{"User-Agent": "Wget/1.2"}, true},
		{"browser", "", map[string]string{"User-Agent": "Mozilla/5.0 (X11)"}, true},
		{"kubectl", "", map[string]string{"User-Agent": "kubectl/v1.37.2"}, false},
		{"no has the last word", "?pretty=false", map[string]string{"User-Agent": "curl/8.0"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := do(s, request{path: bookPath + tc.query, header: tc.header}).Body.String()
			if got := strings.HasPrefix(body, "{\n  \""); got != tc.want {
				t.Errorf("pretty is %t, want %t: %s", got, tc.want, body)
			}
			if !strings.HasSuffix(body, "}\n") {
				t.Errorf("the body does not end in a newline: %q", body)
			}
		})
	}
}
