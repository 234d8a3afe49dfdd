package delegated

import (
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestNamespaces(t *testing.T) {
	r, client := newRemote(t, func(w http.ResponseWriter, req *http.Request) {
		switch name := req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]; name {
		case "open":
			says(`{"kind":"Namespace","metadata":{"name":"open"}}`)(w, req)
		case "going":
			says(`{"kind":"Namespace","metadata":{"name":"going","deletionTimestamp":"2026-01-01T00:00:00Z"}}`)(w, req)
		case "secret":
			http.Error(w, `{"message":"namespaces \"secret\" is forbidden"}`, http.StatusForbidden)
		default:
			http.Error(w, "{}", http.StatusNotFound)
		}
	})
	n := NewNamespaces(client)
	for name, want := range map[string]bool{"open": false, "going": true} {
		if got, err := n.Terminating(t.Context(), name); got != want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := n.Terminating(t.Context(), "none"); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `namespaces "none" not found`) {
		t.Errorf("one that is missing: %v", err)
	}
	for _, name := range []string{"..", ".", "../open", "open%2f..%2fopen"} {
		if _, err := n.Terminating(t.Context(), name); !apierrors.IsNotFound(err) {
			t.Errorf("%q, which is no name: %v", name, err)
		}
	}
	asked := r.count()
	if _, err := n.Terminating(t.Context(), "secret"); err == nil || apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `namespaces "secret" is forbidden`) {
		t.Errorf("one that may not be read: %v", err)
	}
	if n := r.count() - asked; n != 1 {
		t.Errorf("a refusal was asked for %d times", n)
	}
}
