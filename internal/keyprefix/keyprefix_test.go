package keyprefix_test

import (
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/keyprefix"
)

// A database of a kube-apiserver and ours have their objects at the same keys.
func TestOf(t *testing.T) {
	for _, tc := range []struct{ group, plural, marked, want, plain string }{
		{"", "pods", "", "/pods/", "/pods/"},
		{"", "replicationcontrollers", "", "/controllers/", "/replicationcontrollers/"},
		{"", "services", "", "/services/specs/", "/services/"},
		{"", "endpoints", "", "/services/endpoints/", "/endpoints/"},
		{"", "nodes", "", "/minions/", "/nodes/"},
		{"extensions", "ingresses", "", "/ingress/", "/ingresses/"},
		{"networking.k8s.io", "ingresses", "", "/ingress/", "/ingresses/"},
		{"apps", "deployments", "", "/deployments/", "/deployments/"},
		{"apps", "nodes", "", "/nodes/", "/nodes/"},
		{"shop.example.com", "nodes", "", "/shop.example.com/nodes/", "/shop.example.com/nodes/"},
		{"shop.example.com", "widgets", "old/widgets", "/old/widgets/", "/shop.example.com/widgets/"},
		{"", "services", "services", "/services/", "/services/"},
	} {
		if got := keyprefix.Of(tc.group, tc.plural, tc.marked); got != tc.want {
			t.Errorf("%s in %q, marked %q: %s, want %s", tc.plural, tc.group, tc.marked, got, tc.want)
		}
		if got := keyprefix.Plain(tc.group, tc.plural); got != tc.plain {
			t.Errorf("%s in %q was at %s, want %s", tc.plural, tc.group, got, tc.plain)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, good := range []string{"a", "controllers", "services/specs", "shop.example.com/widgets", "v1-a/b2"} {
		if err := keyprefix.Check(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"": "slash", "/a": "slash", "a/": "slash", "a//b": "slash", "A": "segment", ".stored": "segment", "a/..": "segment", "a b": "segment", "a-": "segment",
	} {
		if err := keyprefix.Check(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestMeet(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"/a/", "/a/", true}, {"/a/", "/a/b/", true}, {"/a/b/", "/a/", true}, {"/a/b/", "/a/c/", false}, {"/a/", "/ab/", false},
	} {
		if got := keyprefix.Meet(tc.a, tc.b); got != tc.want {
			t.Errorf("%s and %s: %v", tc.a, tc.b, got)
		}
	}
}
