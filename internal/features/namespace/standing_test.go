package namespace

import (
	"log/slog"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// A server without namespaces takes them for granted.
func TestNoNamespaces(t *testing.T) {
	resources := []rest.Resource{{GroupVersion: schema.GroupVersion{Version: "v1"}, Kind: "Pod", Name: "pods", Namespaced: true}}
	if c := newController(resources, slog.New(slog.DiscardHandler)); c != nil {
		t.Errorf("there are no namespaces, and %v takes care of them", c)
	}
}
