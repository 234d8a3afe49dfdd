package registry_test

import (
	"slices"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/internal/widget"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage/memory"
)

// serveOwnedParts serves v1 with its subresources, and knows owners.
func serveOwnedParts(t *testing.T) (s *server, status, scale rest.Resource) {
	t.Helper()
	resource := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true,
		StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1}, CopyStatus: widget.CopyStatus,
	})
	scheme, opts := widget.Scheme(), registry.Options{Schemas: widgetSchemas(t)}
	form, err := resource.Form(scheme, opts)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	served, err := resource.Serve(scheme, memory.New(memory.Config{Database: db, Root: "/registry", Form: form}), opts)
	if err != nil {
		t.Fatal(err)
	}
	return &server{t: t, Database: db, v1: served[0]}, served[1], served[2]
}

func TestPatchStatus(t *testing.T) {
	s, sub, _ := serveOwnedParts(t)
	s.mustApply("one", `{"color":"green"}`)
	byOne := `one Apply shop.example.com/v1 {"f:spec":{"f:color":{}}}`
	opts := metav1.PatchOptions{FieldManager: "controller"}
	if _, _, err := patchAs(sub, mergeType, `{"metadata":{"labels":{"a":"b"}},"spec":{"color":"blue"},"status":{"phase":"Done"}}`, opts); err != nil {
		t.Fatal(err)
	}
	got := s.mustGet(named)
	if got.Spec.Color != "green" || got.Labels != nil || got.Status.Phase != "Done" {
		t.Errorf("%+v", got)
	}
	wantOwners(t, got, byOne, `controller Update shop.example.com/v1 {"f:status":{"f:phase":{}}}`)
	if got.ManagedFields[1].Subresource != "status" {
		t.Errorf("%+v", got.ManagedFields[1])
	}

	// What the status of an object says is nobody's by a write to the object.
	s.mustPatch(mergeType, `{"status":{"phase":"Lost"}}`)
	if again := s.mustGet(named); again.ResourceVersion != got.ResourceVersion {
		t.Errorf("%+v", again)
	}

	_, _, err := applyAs(sub, "two", `{"apiVersion":"shop.example.com/v1","kind":"Widget","spec":{"color":"blue"},"status":{"phase":"Lost"}}`, false)
	wantStatus(t, err, 409, "Conflict", `Apply failed with 1 conflict: conflict with "controller" with subresource "status" using shop.example.com/v1: .status.phase`)
	if _, _, err = sub.Patch.Patch(ctx, rest.Name{Namespace: "ns", Name: "new"}, rest.Patch{Type: applyType, Bytes: []byte(`{"apiVersion":"shop.example.com/v1","kind":"Widget"}`)}, opts); status(t, err).Code != 404 {
		t.Errorf("a status makes an object: %v", err)
	}
}

func TestPatchScale(t *testing.T) {
	s, _, scale := serveOwnedParts(t)
	if !slices.Equal(scale.PatchTypes, []types.PatchType{mergeType, jsonType}) {
		t.Errorf("%v", scale.PatchTypes)
	}
	s.mustApply("one", `{"replicas":2}`)
	for _, tc := range []struct {
		kind types.PatchType
		text string
		want int32
	}{
		{mergeType, `{"spec":{"replicas":3}}`, 3},
		{jsonType, `[{"op":"test","path":"/spec/replicas","value":3},{"op":"replace","path":"/spec/replicas","value":4}]`, 4},
	} {
		view, _, err := patchAs(scale, tc.kind, tc.text, metav1.PatchOptions{FieldManager: "scaler"})
		if err != nil {
			t.Fatal(err)
		}
		if got := read[autoscalingv1.Scale](t, view); got.Spec.Replicas != tc.want || *s.mustGet(named).Spec.Replicas != tc.want {
			t.Errorf("%+v", got)
		}
	}
	got := s.mustGet(named)
	wantOwners(t, got, `scaler Update shop.example.com/v1 {"f:spec":{"f:replicas":{}}}`)
	if got.ManagedFields[0].Subresource != "scale" {
		t.Errorf("%+v", got.ManagedFields)
	}
	before := s.Revision()
	strict := metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}
	for _, tc := range []struct {
		text, message string
		code          int32
	}{
		{`{"spec":{"replicas":-1}}`, `Scale.autoscaling "w" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`, 422},
		{`{"spec":{"replcas":1}}`, `Widget.shop.example.com "w" is invalid: patch: Invalid value: "{\"spec\":{\"replcas\":1}}": strict decoding error: unknown field "spec.replcas"`, 422},
		{`{"kind":"Widget"}`, `Widget.shop.example.com "w" is invalid: patch: `, 422},
		{`{"metadata":{"name":"v"}}`, "the name of the object (v) does not match the name on the URL (w)", 400},
		{`{"metadata":{"resourceVersion":"1"}}`, `Operation cannot be fulfilled on widgets.shop.example.com "w": `, 409},
	} {
		_, _, err := patchAs(scale, mergeType, tc.text, strict)
		if got := status(t, err); got.Code != tc.code || !strings.HasPrefix(got.Message, tc.message) || s.Revision() != before {
			t.Errorf("%s: %d %s", tc.text, got.Code, got.Message)
		}
	}
}
