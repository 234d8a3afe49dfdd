package registry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/rules"
	"github.com/typeplane/typeplane/storage/memory"
)

// gadget is a kind without protobuf, whose versions convert by their JSON: the older one has no
// mode, and a note of its own.
type gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              gadgetSpec `json:"spec"`
}

type gadgetSpec struct {
	Size  string          `json:"size"`
	Mode  string          `json:"mode,omitempty"`
	Every metav1.Duration `json:"every"`
	Items []gadgetItem    `json:"items"`
}

type gadgetItem struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
	Keep bool   `json:"keep,omitempty"`
}

type oldGadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Size  string          `json:"size"`
		Every metav1.Duration `json:"every"`
		Items []gadgetItem    `json:"items"`
		Note  string          `json:"note,omitempty"`
	} `json:"spec"`
}

type gadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []gadget `json:"items"`
}

type oldGadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []oldGadget `json:"items"`
}

func copied[T any](in *T) *T {
	data, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	out := new(T)
	if err := json.Unmarshal(data, out); err != nil {
		panic(err)
	}
	return out
}

func (g *gadget) DeepCopyObject() apiruntime.Object        { return copied(g) }
func (g *oldGadget) DeepCopyObject() apiruntime.Object     { return copied(g) }
func (g *gadgetList) DeepCopyObject() apiruntime.Object    { return copied(g) }
func (g *oldGadgetList) DeepCopyObject() apiruntime.Object { return copied(g) }

// judgeGadget are rules as gen prints them: the size is required, and a kind that is there is one
// of two.
func judgeGadget(ctx context.Context, op operation.Operation, size *string, items, old []gadgetItem) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	errs = append(errs, rules.RequiredValue(ctx, op, spec.Child("size"), size, nil, false)...)
	for i, item := range items {
		if op.Type == operation.Update && i < len(old) && item == old[i] {
			continue
		}
		path := spec.Child("items").Index(i).Child("kind")
		if left := rules.OptionalValue(ctx, op, path, &item.Kind, nil); len(left) == 0 && item.Kind != "a" && item.Kind != "b" {
			errs = append(errs, field.NotSupported(path, item.Kind, []string{"a", "b"}))
		}
	}
	return errs
}

var gadgets = schema.GroupKind{Group: "shop.example.com", Kind: "Gadget"}

// serveGadgets serves both versions of gadgets, the stored one first.
func serveGadgets(t *testing.T) (v2, v1 rest.Resource, db *memory.Database) {
	t.Helper()
	b := runtime.NewBuilder()
	gv2, gv1 := schema.GroupVersion{Group: gadgets.Group, Version: "v2"}, schema.GroupVersion{Group: gadgets.Group, Version: "v1"}
	hub := runtime.AddHub(b, gadgets, func() *gadget { return new(gadget) })
	runtime.AddVersion(hub, runtime.Version[*gadget, *gadget]{
		GroupVersion: gv2, New: func() *gadget { return new(gadget) }, NewList: func() apiruntime.Object { return new(gadgetList) },
		Validate: func(ctx context.Context, op operation.Operation, _ *field.Path, obj, old *gadget) field.ErrorList {
			if old == nil {
				old = new(gadget)
			}
			return judgeGadget(ctx, op, &obj.Spec.Size, obj.Spec.Items, old.Spec.Items)
		},
	})
	runtime.AddVersion(hub, runtime.Version[*oldGadget, *gadget]{
		GroupVersion: gv1, New: func() *oldGadget { return new(oldGadget) }, NewList: func() apiruntime.Object { return new(oldGadgetList) },
		SameJSON: true, OwnRulesOnly: true,
		Default: func(g *oldGadget) {
			if g.Spec.Note == "" {
				g.Spec.Note = "old"
			}
		},
		Validate: func(ctx context.Context, op operation.Operation, _ *field.Path, obj, old *oldGadget) field.ErrorList {
			if old == nil {
				old = new(oldGadget)
			}
			return judgeGadget(ctx, op, &obj.Spec.Size, obj.Spec.Items, old.Spec.Items)
		},
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	resource := registry.Define(registry.Definition[*gadget]{GroupKind: gadgets, Plural: "gadgets", Namespaced: true, StorageVersion: gv2, Versions: []schema.GroupVersion{gv2, gv1}, Strategy: registry.Strategy[*gadget]{AllowUnconditionalUpdate: new(true)}})
	form, err := resource.Form(scheme, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db = memory.NewDatabase()
	served, err := resource.Serve(scheme, memory.New(memory.Config{Database: db, Root: "/registry", Form: form}), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return served[0], served[1], db
}

// gadgetOf is what a client sends: of is an empty object.
func gadgetOf(t *testing.T, of runtime.Object, spec string) rest.Document {
	t.Helper()
	text := []byte(`{"metadata":{"name":"w"},"spec":` + spec + `}`)
	if err := json.Unmarshal(text, of); err != nil {
		t.Fatal(err)
	}
	return rest.Document{Body: of, JSON: text}
}

// specOf is the spec that a view shows.
func specOf(t *testing.T, view rest.View) string {
	t.Helper()
	var shown struct{ Spec json.RawMessage }
	if err := json.Unmarshal([]byte(text(t, view)), &shown); err != nil {
		t.Fatal(err)
	}
	return string(shown.Spec)
}

// An object of another version with the same JSON is the document that was sent, as in its own. It
// is stored without what only its version has, and shown without what only the stored one has.
func TestDocumentsOfVersionsWithTheSameJSON(t *testing.T) {
	v2, v1, db := serveGadgets(t)
	created, err := v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, gadgetOf(t, new(oldGadget), `{"size":"","every":"60s","items":[{"name":"x","keep":false}],"mode":"fast"}`), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"every":"60s","items":[{"keep":false,"name":"x"}],"size":""}`
	if stored, _ := db.Get("/registry/shop.example.com/gadgets/ns/w"); !strings.HasPrefix(string(stored), `{"kind":"Gadget","apiVersion":"shop.example.com/v2",`) || !strings.HasSuffix(string(stored), `"spec":`+want+"}\n") {
		t.Errorf("stored %s", stored)
	}
	read, err := v2.Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, view := range map[string]rest.View{"the answer": created, "the object in v2": read} {
		if spec := specOf(t, view); spec != want {
			t.Errorf("%s is %s", name, spec)
		}
	}

	merge := rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":{"mode":"fast","items":null}}`)}
	if _, _, err := v2.Patch.Patch(ctx, new(rest.Request), named, merge, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	merge.Bytes = []byte(`{"spec":{"size":"1k","note":"mine"}}`)
	patched, _, err := v1.Patch.Patch(ctx, new(rest.Request), named, merge, metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if spec := specOf(t, patched); spec != `{"every":"60s","size":"1k"}` {
		t.Errorf("patched in v1: %s", spec)
	}
	list, err := v1.List.List(ctx, "ns", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, list)
	if !strings.HasSuffix(got, `"spec":{"every":"60s","size":"1k"}}]}`+"\n") || !strings.Contains(got, `"items":[{"kind":"Gadget","apiVersion":"shop.example.com/v1","metadata":{"name":"w",`) {
		t.Errorf("list in v1: %s", got)
	}
}

// What is required has to be sent in every version, and what is not sent is not judged.
func TestPresenceInVersionsWithTheSameJSON(t *testing.T) {
	_, v1, _ := serveGadgets(t)
	_, err := v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, gadgetOf(t, new(oldGadget), `{"items":[{"name":"x","kind":""}]}`), metav1.CreateOptions{})
	if got := fieldsOf(status(t, err)); got != "spec.size spec.items[0].kind" {
		t.Errorf("refused for %s", got)
	}
}

func fieldsOf(s metav1.Status) string {
	var fields []string
	for _, cause := range s.Details.Causes {
		fields = append(fields, cause.Field)
	}
	return strings.Join(fields, " ")
}

// A member with nothing in it is one. An update that adds it is judged there, although the Go value
// stays the same, and one that leaves it alone is not.
func TestUpdateOfWhatGoDoesNotSee(t *testing.T) {
	v2, v1, db := serveGadgets(t)
	if _, err := v2.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, gadgetOf(t, new(gadget), `{"size":"1","items":[{"name":"x"},{"name":"y"}]}`), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	added := `{"size":"1","items":[{"name":"x"},{"name":"y","kind":""}]}`
	_, _, err := v2.Update.Update(ctx, new(rest.Request), named, gadgetOf(t, new(gadget), added), metav1.UpdateOptions{})
	if got := fieldsOf(status(t, err)); got != "spec.items[1].kind" {
		t.Errorf("an update in v2 is refused for %q", got)
	}
	_, _, err = v1.Update.Update(ctx, new(rest.Request), named, gadgetOf(t, new(oldGadget), added), metav1.UpdateOptions{})
	if got := fieldsOf(status(t, err)); got != "spec.items[1].kind" {
		t.Errorf("an update in v1 is refused for %q", got)
	}

	const key = "/registry/shop.example.com/gadgets/ns/w"
	stored, _ := db.Get(key)
	db.Put(key, []byte(strings.Replace(string(stored), `{"name":"y"}`, `{"kind":"","name":"y"}`, 1)))
	if _, _, err := v2.Update.Update(ctx, new(rest.Request), named, gadgetOf(t, new(gadget), strings.Replace(added, `"1"`, `"2"`, 1)), metav1.UpdateOptions{}); err != nil {
		t.Errorf("what was there is judged again: %v", err)
	}
}

// Every value of a wrong type is a cause; unknown fields are told before, to whoever wants to know.
func TestMisreadDocuments(t *testing.T) {
	v2, v1, _ := serveGadgets(t)
	sent := []byte(`{"metadata":{"name":"w"},"spec":{"size":1,"items":[{"name":"x","keep":"yes"}],"every":"soon","mode":"fast"}}`)
	got := status(t, v2.Misread(sent, true))
	if got.Code != 422 || got.Details.Name != "w" || fieldsOf(got) != "spec.every spec.items[0].keep spec.size" {
		t.Errorf("%d %s for %s", got.Code, got.Message, fieldsOf(got))
	}
	if got := status(t, v1.Misread(sent, true)); got.Code != 400 || got.Message != `strict decoding error: unknown field "spec.mode"` {
		t.Errorf("%d %s", got.Code, got.Message)
	}
	if got := status(t, v1.Misread(sent, false)); got.Code != 422 {
		t.Errorf("%d %s", got.Code, got.Message)
	}
	if err := v1.Misread([]byte(`{"spec":{"size":`), false); err != nil {
		t.Errorf("half an object: %v", err)
	}
	if _, err := v2.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, gadgetOf(t, new(gadget), `{"size":"1"}`), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, _, err := v2.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":{"items":"none","size":[]}}`)}, metav1.PatchOptions{})
	if got := status(t, err); got.Code != 422 || fieldsOf(got) != "spec.items spec.size" {
		t.Errorf("a patch: %d %s", got.Code, got.Message)
	}
}
