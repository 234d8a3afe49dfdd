package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

const (
	noResource = "the server could not find the requested resource"
	noMethod   = "the server does not allow this method on the requested resource"
)

func TestUnknownPaths(t *testing.T) {
	s := newServer(t, config(t, books(), shelves()))
	for path, plain := range map[string]bool{
		"/nothing":                                           true,
		"/apis/other.example.com":                            true,
		"/apis/other.example.com/v1/books":                   true,
		"/apis/library.example.com/v9/books":                 true,
		"/apis/library.example.com/v9":                       true,
		"/api/v1/pods":                                       true,
		"/apis/library.example.com/v1//books":                true,
		"//apis/library.example.com/v1/books":                true,
		"/healthz/nothing":                                   true,
		"/apis/library.example.com/v1/papers":                false,
		"/apis/library.example.com/v1/books/b":               false, // without its namespace
		"/apis/library.example.com/v1/watch":                 false,
		"/apis/library.example.com/v1/watch/papers":          false,
		"/apis/library.example.com/v1/watch/books/b":         false, // without its namespace
		"/apis/library.example.com/v1/namespaces//shelves":   false,
		"/apis/library.example.com/v1/namespaces//status":    false,
		"/apis/library.example.com/v1/namespaces/ns/shelves": false, // with a namespace
	} {
		t.Run(path, func(t *testing.T) {
			w := do(s, request{path: path})
			if !plain {
				wantStatus(t, w, http.StatusNotFound, metav1.StatusReasonNotFound, noResource)
				return
			}
			if w.Code != http.StatusNotFound || w.Body.String() != "404 page not found\n" {
				t.Errorf("got %d %q", w.Code, w.Body)
			}
		})
	}
}

// A subresource that is not there is no missing object: the answer says which there are, in few
// words.
func TestUnknownSubresources(t *testing.T) {
	of := func(names ...string) (out []rest.Resource) {
		for _, name := range names {
			out = append(out, rest.Resource{GroupVersion: gv1, Kind: "Book", Name: "books", Singular: "book", Namespaced: true, Subresource: name, Get: books().Get})
		}
		return out
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("sub%02d", i))
	}
	for _, tc := range []struct {
		has        []string
		path, want string
	}{
		{nil, bookPath + "/exec", "this server has no books/exec: books have no subresources here"},
		{[]string{"status"}, bookPath + "/exec", "this server has no books/exec: the only subresource of books here is status"},
		{[]string{"status", "log", "attach"}, bookPath + "/proxy/a/b", "this server has no books/proxy: the subresources of books here are attach, log and status"},
		{[]string{"status"}, bookPath + "/" + strings.Repeat("a", 2000), "this server has no books/" + strings.Repeat("a", 94) + "…: the only subresource of books here is status"},
		{many, bookPath + "/exec", "this server has no books/exec: the subresources of books here are " + strings.Join(many[:20], ", ") + " and 80 more"},
	} {
		s := newServer(t, config(t, append(of(tc.has...), books())...))
		wantStatus(t, do(s, request{path: tc.path}), http.StatusNotFound, metav1.StatusReasonNotFound, tc.want)
	}
}

func TestHostilePaths(t *testing.T) {
	s := newServer(t, config(t, books()))
	for path, code := range map[string]int{
		booksPath + "/%2e%2e": http.StatusBadRequest,
		booksPath + "/a%2fb":  http.StatusBadRequest,
		booksPath + "/%00":    http.StatusBadRequest,
		booksPath + "/a%25b":  http.StatusBadRequest,
		booksPath + "//b":     http.StatusNotFound,
		booksPath + "/b//":    http.StatusNotFound,
		booksPath + "/b/":     http.StatusOK,
		"/version/":           http.StatusOK,
		"/%2e%2e/version":     http.StatusBadRequest,
		"/apis/../version":    http.StatusBadRequest,
	} {
		if w := do(s, request{path: path}); w.Code != code {
			t.Errorf("%s: got %d, want %d: %s", path, w.Code, code, w.Body)
		}
	}
}

func TestMethods(t *testing.T) {
	readOnly := books()
	readOnly.Name, readOnly.Singular = "papers", "paper"
	readOnly.List, readOnly.Create, readOnly.Update, readOnly.Delete = nil, nil, nil, nil
	s := newServer(t, config(t, books(), shelves(), readOnly))
	const v1 = "/apis/library.example.com/v1"
	for _, tc := range []struct {
		method, path, allow, message string
	}{
		{"PATCH", bookPath, "GET, HEAD, PUT, DELETE", noMethod},
		{"POST", bookPath, "GET, HEAD, PUT, DELETE", noMethod},
		{"DELETE", booksPath, "GET, HEAD, POST", noMethod},
		{"PUT", booksPath, "GET, HEAD, POST", noMethod},
		{"OPTIONS", booksPath, "GET, HEAD, POST", noMethod},
		{"POST", v1 + "/books", "GET, HEAD", noMethod}, // in all namespaces
		{"GET", v1 + "/shelves", "POST", `list is not supported on resources of kind "shelves.library.example.com"`},
		{"GET", v1 + "/shelves?watch=1", "POST", `watch is not supported on resources of kind "shelves.library.example.com"`},
		{"GET", v1 + "/shelves/s", "", noMethod},
		{"GET", v1 + "/namespaces/ns/papers", "GET, HEAD", `list is not supported on resources of kind "papers.library.example.com"`},
		{"PUT", v1 + "/namespaces/ns/papers/p", "GET, HEAD", noMethod},
		{"POST", "/version", "GET, HEAD", noMethod},
		{"DELETE", "/apis", "GET, HEAD", noMethod},
	} {
		t.Run(tc.method+tc.path, func(t *testing.T) {
			w := do(s, request{method: tc.method, path: tc.path})
			wantStatus(t, w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, tc.message)
			if got := strings.Join(w.Header()["Allow"], "|"); got != tc.allow {
				t.Errorf("Allow: %q, want %q", got, tc.allow)
			}
		})
	}
}

func TestIndex(t *testing.T) {
	s := newServer(t, config(t, books()))
	w := do(s, request{path: "/"})
	for _, path := range []string{"/", "/apis", "/apis/library.example.com", "/apis/library.example.com/v1", "/readyz/shutdown", "/openapi/v3", "/version"} {
		if !strings.Contains(w.Body.String(), `"`+path+`"`) {
			t.Errorf("%s is not listed: %s", path, w.Body)
		}
	}
}
