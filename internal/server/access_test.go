package server_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
)

func TestWithoutCredential(t *testing.T) {
	s := newServer(t, config(t, books()))
	nobody := map[string]string{"Test-User": ""}
	for _, path := range []string{"/", "/apis", "/api", "/openapi/v3", "/openapi/v2", "/healthz/ping", "/livez/ping", "/readyz/ping", "/nothing", bookPath, booksPath + "/%00", "/apis/library.example.com/v1", "/version/x"} {
		w := do(s, request{path: path, header: nobody})
		wantStatus(t, w, http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized")
	}
	for path, want := range map[string]string{
		"/livez": "ok", "/readyz": "ok", "/healthz": "ok", "/livez?verbose": "ok", "/readyz?verbose&exclude=ping": "ok", "/healthz?verbose&exclude=ping": "ok",
		"/version": "{\n  \"major\": \"1\",\n  \"minor\": \"37\",\n  \"gitVersion\": \"v1.37.0\",\n  \"gitCommit\": \"\",\n  \"gitTreeState\": \"\",\n  \"buildDate\": \"\",\n  \"goVersion\": \"\",\n  \"compiler\": \"\",\n  \"platform\": \"\"\n}\n",
	} {
		if w := do(s, request{path: path, header: nobody}); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: got %d %q", path, w.Code, w.Body)
		}
	}
}

func TestForbidden(t *testing.T) {
	s := newServer(t, config(t, books()))
	const v1 = "/apis/library.example.com/v1"
	for _, tc := range []struct{ method, path, message string }{
		{"GET", booksPath, `books.library.example.com is forbidden: User "u" cannot list resource "books" in API group "library.example.com" in the namespace "ns"`},
		{"GET", bookPath, `books.library.example.com "b" is forbidden: User "u" cannot get resource "books" in API group "library.example.com" in the namespace "ns"`},
		{"GET", v1 + "/books?watch=1", `books.library.example.com is forbidden: User "u" cannot watch resource "books" in API group "library.example.com" at the cluster scope`},
		{"GET", booksPath + "?fieldSelector=metadata.name%3Dn", `books.library.example.com "n" is forbidden: User "u" cannot list resource "books" in API group "library.example.com" in the namespace "ns"`},
		{"PATCH", bookPath + "/status", `books.library.example.com "b" is forbidden: User "u" cannot patch resource "books/status" in API group "library.example.com" in the namespace "ns"`},
		{"DELETE", booksPath, `books.library.example.com is forbidden: User "u" cannot deletecollection resource "books" in API group "library.example.com" in the namespace "ns"`},
		{"GET", "/apis/<b>/v1/x", `x.<b> is forbidden: User "u" cannot list resource "x" in API group "&lt;b&gt;" at the cluster scope`},
		{"GET", "/apis", `forbidden: User "u" cannot get path "/apis"`},
		{"POST", "/nothing", `forbidden: User "u" cannot post path "/nothing"`},
	} {
		w := do(s, request{method: tc.method, path: tc.path, header: map[string]string{"Test-User": "u"}})
		wantStatus(t, w, http.StatusForbidden, metav1.StatusReasonForbidden, tc.message)
		if w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: a browser may sniff", tc.path)
		}
	}
	for _, path := range []string{"/healthz", "/livez", "/readyz/ping", "/version"} {
		if w := do(s, request{path: path, header: map[string]string{"Test-User": "u"}}); w.Code != http.StatusOK {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
}

type authorizerFunc func(auth.Attributes) (bool, string, error)

func (f authorizerFunc) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	allowed, reason, err := f(a)
	if allowed {
		return auth.Allow, reason, err
	}
	return auth.NoOpinion, reason, err
}

func TestAuthorizer(t *testing.T) {
	c := config(t, books())
	var got auth.Attributes
	c.Authorizer = authorizerFunc(func(a auth.Attributes) (bool, string, error) {
		got = a
		if a.Verb == "delete" {
			return false, "", errors.New("no answer")
		}
		return a.Verb == "list", "because", nil
	})
	s := newServer(t, c)

	if w := do(s, request{path: booksPath + "?labelSelector=a"}); w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if got.User.Name != "admin" || got.Group != gv1.Group || got.Version != "v1" || got.Resource != "books" || got.Namespace != "ns" || got.LabelSelector != "a" || !got.IsResource || got.Path != booksPath {
		t.Errorf("attributes: %+v", got)
	}
	w := do(s, request{path: bookPath})
	if !strings.Contains(w.Body.String(), `in the namespace \"ns\": because"`) {
		t.Errorf("the reason is missing: %s", w.Body)
	}
	w = do(s, request{method: "DELETE", path: bookPath})
	wantStatus(t, w, http.StatusInternalServerError, metav1.StatusReasonInternalError, "Internal error occurred: authorization: no answer")
}

type failingAuthenticator struct{}

func (failingAuthenticator) Authenticate(*http.Request) (*auth.User, error) {
	return nil, errors.New("secret detail")
}

// A wrong credential gets no more than none, and nobody is told why.
func TestWrongCredential(t *testing.T) {
	c := config(t, books())
	c.Authenticator = failingAuthenticator{}
	s := newServer(t, c)
	wantStatus(t, do(s, request{path: "/apis"}), http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "Unauthorized")
	if w := do(s, request{path: "/livez"}); w.Code != http.StatusOK {
		t.Errorf("livez: got %d", w.Code)
	}
}

// Somebody without a name is told no more than nobody, and needs a right for it where nobody is
// refused.
func TestAnonymous(t *testing.T) {
	c := config(t, books())
	c.Authenticator = auth.OrAnonymous{Authenticator: byHeader{}}
	s := newServer(t, c)
	nobody := map[string]string{"Test-User": ""}
	for path, want := range map[string]int{"/livez": 200, "/readyz?verbose": 200, "/version": 200, "/healthz?verbose": 200, "/readyz/ping": 403, "/healthz/ping": 403, "/apis": 403, bookPath: 403} {
		w := do(s, request{path: path, header: nobody})
		if w.Code != want || strings.Contains(w.Body.String(), "[+]") || strings.Contains(w.Body.String(), "c0ffee") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
