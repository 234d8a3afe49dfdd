package registry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// serveOwnedParts serves v1 with its subresources, and knows owners.
func serveOwnedParts(t *testing.T) (s *server, status, scale rest.Resource) {
	t.Helper()
	return servePartsBy(t, strategy{})
}

func servePartsBy(t *testing.T, by strategy) (s *server, status, scale rest.Resource) {
	t.Helper()
	resource := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true,
		StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1}, CopyStatus: widget.CopyStatus, Strategy: by,
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

// TestStatusMetadata: where the strategy says so, a write of the status writes metadata, but for
// what clients never write, and owns it. It writes no spec.
func TestStatusMetadata(t *testing.T) {
	s, sub, _ := servePartsBy(t, strategy{StatusMetadata: true})
	first := s.mustCreate(`{"metadata":{"name":"w","labels":{"a":"b"}},"spec":{"color":"green"}}`)
	opts := metav1.PatchOptions{FieldManager: "agent"}
	patch := `{"metadata":{"uid":"` + string(first.UID) + `","creationTimestamp":"2001-01-01T00:00:00Z","labels":{"a":null},"annotations":{"seen":"yes"},"finalizers":["example.com/f"]},"spec":{"color":"blue"},"status":{"phase":"Done"}}`
	if _, _, err := patchAs(sub, mergeType, patch, opts); err != nil {
		t.Fatal(err)
	}
	got := s.mustGet(named)
	if got.Labels != nil || got.Annotations["seen"] != "yes" || len(got.Finalizers) != 1 || got.Status.Phase != "Done" {
		t.Errorf("not written: %+v", got)
	}
	if got.Spec.Color != "green" || !got.CreationTimestamp.Equal(&first.CreationTimestamp) || got.Generation != first.Generation {
		t.Errorf("written: %+v", got)
	}
	owner := got.ManagedFields[slices.IndexFunc(got.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == "agent" })]
	if !strings.Contains(owner.FieldsV1.GetRawString(), `"f:seen"`) || strings.Contains(owner.FieldsV1.GetRawString(), "f:spec") {
		t.Errorf("owned: %+v", owner)
	}

	// What is wrong with metadata is said here, too.
	if _, _, err := patchAs(sub, mergeType, `{"metadata":{"labels":{"not valid":"x"}}}`, opts); !apierrors.IsInvalid(err) {
		t.Errorf("an invalid label: %v", err)
	}

	// The last finalizer may go this way.
	if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := patchAs(sub, mergeType, `{"metadata":{"finalizers":null}}`, opts); err != nil {
		t.Fatal(err)
	}
	if _, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("without finalizers: %v", err)
	}
}

// TestStatusMetadataReset: what the strategy names of the metadata stays, and nobody owns it.
func TestStatusMetadataReset(t *testing.T) {
	s, sub, _ := servePartsBy(t, strategy{StatusMetadata: true, ResetFields: map[string][]string{"status": {"metadata.labels", "metadata.ownerReferences"}}})
	s.mustCreate(`{"metadata":{"name":"w","labels":{"a":"b"},"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"k","uid":"u"}]}}`)
	patch := `{"metadata":{"labels":{"a":"c"},"annotations":{"seen":"yes"},"finalizers":["example.com/f"],"ownerReferences":null},"status":{"phase":"Done"}}`
	if _, _, err := patchAs(sub, mergeType, patch, metav1.PatchOptions{FieldManager: "agent"}); err != nil {
		t.Fatal(err)
	}
	got := s.mustGet(named)
	if got.Labels["a"] != "b" || len(got.OwnerReferences) != 1 {
		t.Errorf("written: %+v", got)
	}
	if got.Annotations["seen"] != "yes" || len(got.Finalizers) != 1 || got.Status.Phase != "Done" {
		t.Errorf("not written: %+v", got)
	}
	for _, e := range got.ManagedFields {
		if e.Manager == "agent" && strings.Contains(e.FieldsV1.GetRawString(), "f:labels") {
			t.Errorf("owned: %v", e.FieldsV1)
		}
	}
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
	if _, _, err = sub.Patch.Patch(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: "new"}, rest.Patch{Type: applyType, Bytes: []byte(`{"apiVersion":"shop.example.com/v1","kind":"Widget"}`)}, opts); status(t, err).Code != 404 {
		t.Errorf("a status makes an object: %v", err)
	}
}

func TestPatchScale(t *testing.T) {
	s, _, scale := serveOwnedParts(t)
	if !slices.Equal(scale.PatchTypes, []types.PatchType{jsonType, mergeType, strategicType, applyType}) {
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
		{strategicType, `{"spec":{"replicas":5}}`, 5},
		{strategicType, `{"kind":"Widget","status":{"replicas":42}}`, 5},
		{strategicType, `null`, 5},
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

// Who owns the replicas of an object is the same whether they are written there or by its scale, in
// any kind of patch.
func TestApplyScale(t *testing.T) {
	s, _, scale := serveOwnedParts(t)
	apply := func(r rest.Resource, manager, text string, force bool) error {
		_, _, err := applyAs(r, manager, text, force)
		return err
	}
	const object = `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"color":"green","replicas":1}}`
	number := func(n int) string {
		return fmt.Sprintf(`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"w","namespace":"ns"},"spec":{"replicas":%d}}`, n)
	}
	patch := func(manager, text string) error {
		_, _, err := patchAs(scale, strategicType, text, metav1.PatchOptions{FieldManager: manager})
		return err
	}
	const (
		both      = ` Apply shop.example.com/v1 {"f:spec":{"f:color":{},"f:replicas":{}}}`
		color     = ` Apply shop.example.com/v1 {"f:spec":{"f:color":{}}}`
		replicas  = ` shop.example.com/v1 {"f:spec":{"f:replicas":{}}}`
		conflicts = `Apply failed with 1 conflict: conflict with `
	)
	for _, step := range []struct {
		name     string
		do       func() error
		conflict string
		replicas int32
		owners   []string
	}{
		{"an object", func() error { return apply(s.v1, "object", object, false) }, "", 1, []string{"object" + both}},
		{"is scaled", func() error { return patch("scaler", `{"spec":{"replicas":5}}`) }, "", 5, []string{"object" + color, "scaler Update" + replicas}},
		{"is applied again", func() error { return apply(s.v1, "object", object, false) }, conflicts + `"scaler" with subresource "scale" using shop.example.com/v1: .spec.replicas`, 5, []string{"object" + color, "scaler Update" + replicas}},
		{"with force", func() error { return apply(s.v1, "object", object, true) }, "", 1, []string{"object" + both}},
		{"a scale is applied", func() error { return apply(scale, "applier", number(17), false) }, conflicts + `"object": .spec.replicas`, 1, []string{"object" + both}},
		{"with force", func() error { return apply(scale, "applier", number(17), true) }, "", 17, []string{"applier Apply" + replicas, "object" + color}},
		{"and replaced", func() error {
			_, _, err := scale.Update.Update(ctx, new(rest.Request), named, aScale(7), metav1.UpdateOptions{FieldManager: "replacer"})
			return err
		}, "", 7, []string{"object" + color, "replacer Update" + replicas}},
		{"the same is applied", func() error { return apply(scale, "applier", number(7), false) }, "", 7, []string{"applier Apply" + replicas, "object" + color, "replacer Update" + replicas}},
		{"a status alone", func() error { return patch("other", `{"status":{"replicas":42}}`) }, "", 7, []string{"applier Apply" + replicas, "object" + color, "replacer Update" + replicas}},
		{"is scaled again", func() error { return patch("scaler", `{"spec":{"replicas":5}}`) }, "", 5, []string{"object" + color, "scaler Update" + replicas}},
	} {
		err := step.do()
		if step.conflict != "" {
			wantStatus(t, err, 409, "Conflict", step.conflict)
		} else if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		got := s.mustGet(named)
		owners := strings.Split(owners(got), "\n")
		slices.Sort(owners)
		if *got.Spec.Replicas != step.replicas || !slices.Equal(owners, step.owners) {
			t.Errorf("%s: %d replicas, owners %q, want %d, %q", step.name, *got.Spec.Replicas, owners, step.replicas, step.owners)
		}
		for _, o := range got.ManagedFields {
			if (o.Subresource == "scale") != (o.Manager != "object") {
				t.Errorf("%s: %s has the subresource %q", step.name, o.Manager, o.Subresource)
			}
		}
	}
}

func TestRefusedApplyOfScale(t *testing.T) {
	s, _, scale := serveOwnedParts(t)
	s.mustApply("one", `{"replicas":2}`)
	before := s.Revision()
	const head = `"apiVersion":"autoscaling/v1","kind":"Scale"`
	for _, tc := range []struct {
		name, object, text string
		code               int32
		message            string
	}{
		{"another kind", "w", `{"apiVersion":"shop.example.com/v1","kind":"Widget"}`, 400, "error decoding patch: it says that it is a shop.example.com/v1, Kind=Widget; want apiVersion autoscaling/v1 and kind Scale"},
		{"no object", "w", `7`, 400, "error decoding patch: want a JSON object"},
		{"unknown field", "w", `{` + head + `,"spec":{"size":1}}`, 400, `error decoding patch: unknown field "spec.size"`},
		{"wrong type", "w", `{` + head + `,"spec":{"replicas":"x"}}`, 400, "error decoding patch: "},
		{"twice", "w", `{` + head + `,"spec":{"replicas":1,"replicas":2}}`, 400, `error strict decoding patch: duplicate field "spec.replicas"`},
		{"owners", "w", `{` + head + `,"metadata":{"managedFields":[]}}`, 400, "metadata.managedFields must be nil: "},
		{"another name", "w", `{` + head + `,"metadata":{"name":"v"}}`, 400, "the name of the object (v) does not match"},
		{"another namespace", "w", `{` + head + `,"metadata":{"namespace":"x"}}`, 400, "the namespace of the provided object does not match"},
		{"another object", "w", `{` + head + `,"metadata":{"uid":"x"}}`, 409, `Operation cannot be fulfilled on widgets.shop.example.com "w": Precondition failed`},
		{"an old version", "w", `{` + head + `,"metadata":{"resourceVersion":"1"}}`, 409, `Operation cannot be fulfilled on widgets.shop.example.com "w": `},
		{"a negative number", "w", `{` + head + `,"spec":{"replicas":-1}}`, 409, "Apply failed with 1 conflict"},
		{"nothing to scale", "gone", `{` + head + `,"spec":{"replicas":1}}`, 404, `widgets.shop.example.com "gone" not found`},
	} {
		_, _, err := scale.Patch.Patch(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: tc.object}, rest.Patch{Type: applyType, Bytes: []byte(tc.text)},
			metav1.PatchOptions{FieldManager: "two", FieldValidation: metav1.FieldValidationStrict})
		if err == nil {
			t.Errorf("%s: no error", tc.name)
			continue
		}
		if got := status(t, err); got.Code != tc.code || !strings.HasPrefix(got.Message, tc.message) || s.Revision() != before {
			t.Errorf("%s: %d %s", tc.name, got.Code, got.Message)
		}
	}
	// With force it is judged as any Scale.
	_, _, err := applyAs(scale, "two", `{`+head+`,"spec":{"replicas":-1}}`, true)
	wantStatus(t, err, 422, "Invalid", `Scale.autoscaling "w" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`)
	view, _, err := scale.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: applyType, Bytes: []byte("kind: Scale\napiVersion: autoscaling/v1\nspec:\n  replicas: 2\n")},
		metav1.PatchOptions{FieldManager: "two", DryRun: []string{metav1.DryRunAll}})
	if err != nil || read[autoscalingv1.Scale](t, view).Spec.Replicas != 2 || s.Revision() != before {
		t.Errorf("dry run of YAML: %v", err)
	}
}

// A Scale is printed as Kubernetes prints it.
func TestScaleTable(t *testing.T) {
	s, _, scale := serveOwnedParts(t)
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"replicas":3}}`)
	view, err := scale.Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.JSON, As: rest.AsTable, IncludeObject: metav1.IncludeNone}); err != nil {
		t.Fatal(err)
	}
	var table metav1.Table
	if err := json.Unmarshal(b.Bytes(), &table); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range table.ColumnDefinitions {
		names = append(names, c.Name)
	}
	if cells := fmt.Sprint(names, table.Rows[0].Cells[:3]); cells != "[Name Desired Available Age] [w 3 0]" {
		t.Errorf("%s", cells)
	}
}
