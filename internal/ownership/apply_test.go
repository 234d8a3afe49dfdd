package ownership

import (
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// What a write to a subresource does not change is nobody's by it, and no conflict.
func TestTrackerOfASubresource(t *testing.T) {
	schemas := New(widget.OpenAPI())
	scheme := widget.Scheme()
	kind, err := scheme.Kind(widget.GV1.WithKind("Widget"))
	if err != nil {
		t.Fatal(err)
	}
	tracker, err := NewTracker(schemas, scheme, kind, "status", Path{"spec"}, Path{"metadata", "annotations", "example.com/kept"})
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
	owners, err := tracker.Update(live, object("green", "Done"), "me")
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
	applied := map[string]any{
		"apiVersion": "shop.example.com/v1", "kind": "Widget", "spec": map[string]any{"color": "blue"}, "status": map[string]any{"phase": "Lost"},
	}
	next, _, _, err := tracker.Apply(live, applied, "me", false)
	if err != nil {
		t.Fatalf("a conflict about what is not written: %v", err)
	}
	for _, entry := range runtime.Meta(next).ManagedFields {
		if entry.Manager == "me" && entry.FieldsV1.GetRawString() != `{"f:status":{"f:phase":{}}}` {
			t.Errorf("%s", entry.FieldsV1.GetRawString())
		}
	}
}

// Schemas that nobody can read, or that are of something else, are found by the first apply patch.
func TestBadSchemas(t *testing.T) {
	scheme, gv := widget.Scheme(), widget.GV1
	kind, err := scheme.Kind(gv.WithKind("Widget"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"no JSON":       {`{`, "OpenAPI schemas of shop.example.com/v1: unexpected end of JSON input"},
		"no schema":     {`{"a":7}`, "OpenAPI schemas of shop.example.com/v1: a: "},
		"no such types": {`{"a":{"type":"colour"}}`, "OpenAPI schemas of shop.example.com/v1: failed to convert models to schema: "},
		"no such kind":  {`{"a":{"type":"object"}}`, "OpenAPI schemas of shop.example.com/v1: none has x-kubernetes-group-version-kind Widget; run gen"},
		"something else": {strings.Replace(widget.OpenAPI()[gv], `"metadata"`, `"meta"`, 1),
			"the OpenAPI schema of shop.example.com/v1, Kind=Widget does not fit its Go type: "},
	} {
		tracker, err := NewTracker(New(map[schema.GroupVersion]string{gv: tc.text}), scheme, kind, "")
		if err != nil {
			t.Fatal(err)
		}
		err = tracker.Check(map[string]any{"apiVersion": "shop.example.com/v1", "kind": "Widget"})
		if !apierrors.IsInternalError(err) || !strings.HasPrefix(err.Error(), "Internal error occurred: "+tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A kind that is also a field of a kind of another group is read from the document of its own
// version. The schema in the other document, and the order of the groups, make no difference.
func TestKindThatIsAField(t *testing.T) {
	scheme, gv := widget.Scheme(), widget.GV1
	kind, err := scheme.Kind(gv.WithKind("Widget"))
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{"a.example.com", "z.example.com"} {
		elsewhere := regexp.MustCompile(`,\s*"x-kubernetes-group-version-kind":\[[^]]*]`).ReplaceAllString(widget.OpenAPI()[gv], "")
		elsewhere = strings.Replace(elsewhere, `"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"]`, `"x-kubernetes-list-type":"atomic"`, 1)
		schemas := New(map[schema.GroupVersion]string{gv: widget.OpenAPI()[gv], {Group: group, Version: "v1"}: elsewhere})
		tracker, err := NewTracker(schemas, scheme, kind, "")
		if err != nil {
			t.Fatal(err)
		}
		applied := map[string]any{
			"apiVersion": "shop.example.com/v1", "kind": "Widget",
			"spec": map[string]any{"parts": []any{map[string]any{"name": "wheel"}}},
		}
		if err := tracker.Check(applied); err != nil {
			t.Errorf("%s: %v", group, err)
			continue
		}
		live := new(widget.V1)
		live.SetGroupVersionKind(kind.GroupVersionKind())
		next, _, _, err := tracker.Apply(live, applied, "me", false)
		if err != nil {
			t.Errorf("%s: %v", group, err)
			continue
		}
		const want = `{"f:spec":{"f:parts":{"k:{\"name\":\"wheel\"}":{".":{},"f:name":{}}}}}`
		if got := runtime.Meta(next).ManagedFields[0].FieldsV1.GetRawString(); got != want {
			t.Errorf("%s: fields %s\nwant %s", group, got, want)
		}
	}
}

// Schemas without the schema of a kind are found when the server starts, and not by its first apply
// patch.
func TestKindWithoutSchema(t *testing.T) {
	scheme := widget.Scheme()
	kind, err := scheme.Kind(widget.GVOld.WithKind("Widget"))
	if err != nil {
		t.Fatal(err)
	}
	const model = `{"old.Widget":{"type":"object","properties":{"metadata":{"type":"object"}}}}`
	_, err = NewTracker(New(map[schema.GroupVersion]string{widget.GVOld: model}), scheme, kind, "")
	want := "OpenAPI schemas of " + widget.GVOld.String() + ": none has x-kubernetes-group-version-kind Widget; run gen"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if tracker, err := NewTracker(New(widget.OpenAPI()), scheme, kind, ""); tracker != nil || err != nil {
		t.Errorf("a version that publishes no schemas has managers of fields: %v, %v", tracker, err)
	}
}
