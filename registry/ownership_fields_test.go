package registry

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/widget"
	"github.com/typeplane/typeplane/runtime"
)

// What a write to a subresource does not change is nobody's by it, and no conflict.
func TestTrackerOfASubresource(t *testing.T) {
	schemas, err := NewSchemas(widget.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	scheme := widget.Scheme()
	kind, err := scheme.Kind(widget.GV1.WithKind("Widget"))
	if err != nil {
		t.Fatal(err)
	}
	tracker, err := schemas.tracker(scheme, kind, "status", fieldPath{"spec"}, fieldPath{"metadata", "annotations", "example.com/kept"})
	if err != nil {
		t.Fatal(err)
	}
	object := func(color, phase string) *widget.V1 {
		w := &widget.V1{Spec: widget.V1Spec{Color: color}, Status: widget.Status{Phase: phase}}
		w.SetGroupVersionKind(kind.GroupVersionKind())
		w.Annotations = map[string]string{"example.com/kept": color, "a": "b"}
		return w
	}
	live := new(widget.V1)
	live.SetGroupVersionKind(kind.GroupVersionKind())
	owners, err := tracker.update(live, object("green", "Done"), "me")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"f:metadata":{"f:annotations":{".":{},"f:a":{}}},"f:status":{"f:phase":{}}}`
	if len(owners) != 1 || owners[0].Subresource != "status" || owners[0].FieldsV1.GetRawString() != want {
		t.Errorf("%+v\nwant %s", owners, want)
	}

	live = object("green", "Done")
	live.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "other", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "shop.example.com/v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:color":{}}}`),
	}}
	applied, _, err := tracker.read([]byte(`{"apiVersion":"shop.example.com/v1","kind":"Widget","spec":{"color":"blue"},"status":{"phase":"Lost"}}`))
	if err != nil {
		t.Fatal(err)
	}
	next, err := tracker.apply(live, applied, "me", false)
	if err != nil {
		t.Fatalf("a conflict about what is not written: %v", err)
	}
	for _, entry := range runtime.Meta(next).ManagedFields {
		if entry.Manager == "me" && entry.FieldsV1.GetRawString() != `{"f:status":{"f:phase":{}}}` {
			t.Errorf("%s", entry.FieldsV1.GetRawString())
		}
	}
}
