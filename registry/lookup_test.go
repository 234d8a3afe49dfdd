package registry_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

func TestLookup(t *testing.T) {
	s, served := serveDefinition(t, definition(strategy{}), registry.Options{}, nil)
	meters, err := meters().Resource()
	if err != nil {
		t.Fatal(err)
	}
	in := registry.WithResources(ctx, widget.Scheme(), served)
	for _, name := range []string{"a", "b"} {
		if _, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"`+name+`","labels":{"name":"`+name+`"}},"spec":{"color":"red"}}`), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}

	one, err := registry.Get[*widget.V1](in, "ns", "a", metav1.GetOptions{})
	if err != nil || one.Name != "a" || one.Spec.Color != "red" || one.Kind != "Widget" {
		t.Errorf("read %+v (%v)", one, err)
	}
	for namespace, want := range map[string]int{"ns": 2, "": 2, "other": 0} {
		if all, err := registry.List[*widget.V1](in, namespace, metav1.ListOptions{}); err != nil || len(all) != want {
			t.Errorf("%d objects in namespace %q, want %d (%v)", len(all), namespace, want, err)
		}
	}
	selected, err := registry.List[*widget.V1](in, "ns", metav1.ListOptions{LabelSelector: "name=b"})
	if err != nil || len(selected) != 1 || selected[0].Name != "b" || selected[0].Kind != "Widget" {
		t.Errorf("selected %+v (%v)", selected, err)
	}
	if _, err := registry.Get[*widget.V1](in, "ns", "c", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("an object that does not exist: %v, want NotFound", err)
	}
	if _, err := registry.List[*widget.V1](in, "ns", metav1.ListOptions{LabelSelector: "=="}); !apierrors.IsBadRequest(err) {
		t.Errorf("a malformed selector: %v, want BadRequest", err)
	}

	virtual := registry.WithResources(ctx, widget.Scheme(), []rest.Resource{meters})
	if meter, err := registry.Get[*widget.V1](virtual, "ns", "x", metav1.GetOptions{}); err != nil || meter.Spec.Color != "of x" {
		t.Errorf("a virtual resource: %+v (%v)", meter, err)
	}
}

func TestLookupMistakes(t *testing.T) {
	in := registry.WithResources(ctx, widget.Scheme(), nil)
	if _, err := registry.Get[*widget.V1](in, "ns", "a", metav1.GetOptions{}); err == nil || !strings.Contains(err.Error(), "no resource is served whose objects are *widget.V1") {
		t.Errorf("a type that is not served: %v", err)
	}
	if _, err := registry.List[*widget.V1](ctx, "ns", metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), "not one of a server's") {
		t.Errorf("a context without a server: %v", err)
	}
	onlyCreate := meters()
	onlyCreate.Get, onlyCreate.List = nil, nil
	r, err := onlyCreate.Resource()
	if err != nil {
		t.Fatal(err)
	}
	in = registry.WithResources(ctx, widget.Scheme(), []rest.Resource{r})
	if _, err := registry.Get[*widget.V1](in, "ns", "a", metav1.GetOptions{}); !apierrors.IsMethodNotSupported(err) {
		t.Errorf("a resource without get: %v, want MethodNotSupported", err)
	}
	if _, err := registry.List[*widget.V1](in, "ns", metav1.ListOptions{}); !apierrors.IsMethodNotSupported(err) {
		t.Errorf("a resource without list: %v, want MethodNotSupported", err)
	}
}
