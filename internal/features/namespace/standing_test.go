package namespace

import (
	"context"
	"log/slog"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// wiper deletes collections.
type wiper struct{}

func (wiper) DeleteCollection(context.Context, *rest.Request, string, metav1.DeleteOptions, metav1.ListOptions) (rest.View, error) {
	return nil, nil
}

func TestKeepAll(t *testing.T) {
	resources := []rest.Resource{
		{GroupVersion: schema.GroupVersion{Version: "v1"}, Name: "pods", Namespaced: true, DeleteCollection: wiper{}},
		{GroupVersion: schema.GroupVersion{Version: "v1"}, Name: "namespaces", DeleteCollection: wiper{}},
		{GroupVersion: schema.GroupVersion{Group: "example.com", Version: "v1"}, Name: "namespaces", DeleteCollection: wiper{}},
	}
	keepAll(resources)
	for i, want := range []bool{true, false, true} {
		if got := resources[i].DeleteCollection != nil; got != want {
			t.Errorf("%s of %q: all can be deleted: %t, want %t", resources[i].Name, resources[i].GroupVersion, got, want)
		}
	}
}

// A server without namespaces takes them for granted.
func TestNoNamespaces(t *testing.T) {
	resources := []rest.Resource{{GroupVersion: schema.GroupVersion{Version: "v1"}, Kind: "Pod", Name: "pods", Namespaced: true}}
	if c := newController(resources, slog.New(slog.DiscardHandler)); c != nil {
		t.Errorf("there are no namespaces, and %v takes care of them", c)
	}
}
