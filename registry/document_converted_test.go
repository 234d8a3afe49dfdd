package registry_test

import (
	"context"
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

// sparseGadget is a version of gadgets that converts in Go, which makes a mode of none, fills in
// sizes and drops notes.
type sparseGadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Size string  `json:"size"`
		Mode *string `json:"mode,omitempty"`
		Note string  `json:"note,omitempty"`
	} `json:"spec"`
}

type sparseGadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []sparseGadget `json:"items"`
}

func (g *sparseGadget) DeepCopyObject() apiruntime.Object     { return copied(g) }
func (g *sparseGadgetList) DeepCopyObject() apiruntime.Object { return copied(g) }

func sparseToHub(in *sparseGadget, out *gadget) error {
	out.ObjectMeta, out.Spec.Size = in.ObjectMeta, in.Spec.Size
	if in.Spec.Size == "" {
		out.Spec.Size = "1"
	}
	if in.Spec.Mode != nil {
		out.Spec.Mode = *in.Spec.Mode
	}
	return nil
}

func hubToSparse(in *gadget, out *sparseGadget) error {
	out.ObjectMeta, out.Spec.Size, out.Spec.Mode = in.ObjectMeta, in.Spec.Size, &in.Spec.Mode
	return nil
}

// judgeSparse are rules as gen prints them: the size is required, what there is of a mode and a
// note is a word.
func judgeSparse(ctx context.Context, op operation.Operation, _ *field.Path, obj, old *sparseGadget) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	errs = append(errs, rules.RequiredValue(ctx, op, spec.Child("size"), &obj.Spec.Size, nil, false)...)
	if mode := obj.Spec.Mode; mode != nil && len(*mode) < 3 && (old == nil || old.Spec.Mode == nil || *old.Spec.Mode != *mode) {
		errs = append(errs, field.TooShort(spec.Child("mode"), *mode, 3))
	}
	if strings.Contains(obj.Spec.Note, " ") {
		errs = append(errs, field.Invalid(spec.Child("note"), obj.Spec.Note, "must be a word"))
	}
	return errs
}

// serveSparse serves gadgets in the version that is stored and in the version that converts in Go.
func serveSparse(t *testing.T, strategy registry.Strategy[*gadget]) (v2, v1 rest.Resource) {
	t.Helper()
	strategy.AllowUnconditionalUpdate = new(true)
	b := runtime.NewBuilder()
	gv2, gv1 := schema.GroupVersion{Group: gadgets.Group, Version: "v2"}, schema.GroupVersion{Group: gadgets.Group, Version: "v1"}
	hub := runtime.AddHub(b, gadgets, func() *gadget { return new(gadget) })
	runtime.AddVersion(hub, runtime.Version[*gadget, *gadget]{
		GroupVersion: gv2, New: func() *gadget { return new(gadget) }, NewList: func() apiruntime.Object { return new(gadgetList) },
	})
	runtime.AddVersion(hub, runtime.Version[*sparseGadget, *gadget]{
		GroupVersion: gv1, New: func() *sparseGadget { return new(sparseGadget) }, NewList: func() apiruntime.Object { return new(sparseGadgetList) },
		ToHub: sparseToHub, FromHub: hubToSparse, Validate: judgeSparse,
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	resource := registry.Define(registry.Definition[*gadget]{
		GroupKind: gadgets, Plural: "gadgets", Namespaced: true, StorageVersion: gv2, Versions: []schema.GroupVersion{gv2, gv1}, Strategy: strategy,
	})
	form, err := resource.Form(scheme, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	served, err := resource.Serve(scheme, memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry", Form: form}), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return served[0], served[1]
}

// The rules of a version that converts in Go judge what was sent, not what the conversion makes of
// it: in a create, an update and a patch.
func TestRulesSeeWhatAConversionDrops(t *testing.T) {
	for spec, want := range map[string]string{
		`{"size":"1"}`:                           "",
		`{"size":"1","mode":"fast"}`:             "",
		`{"size":"1","mode":""}`:                 "spec.mode",
		`{"mode":"fast"}`:                        "spec.size",
		`{"size":"1","note":"a b"}`:              "spec.note",
		`{"size":"1","mode":"fast","note":"ab"}`: "",
	} {
		v2, v1 := serveSparse(t, registry.Strategy[*gadget]{})
		_, err := v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, gadgetOf(t, new(sparseGadget), spec), metav1.CreateOptions{})
		wantFields(t, "create "+spec, err, want)
		if want != "" {
			if _, err := v2.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, gadgetOf(t, new(gadget), `{"size":"1","mode":"slow"}`), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err = v1.Update.Update(ctx, new(rest.Request), named, gadgetOf(t, new(sparseGadget), spec), metav1.UpdateOptions{})
		wantFields(t, "update "+spec, err, want)
		if want == "spec.size" {
			continue // a merge patch does not take it out
		}
		_, _, err = v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":` + spec + `}`)}, metav1.PatchOptions{})
		wantFields(t, "patch "+spec, err, want)
	}
}

// They judge what was changed since, too.
func TestRulesSeeWhatAStrategyChanges(t *testing.T) {
	_, v1 := serveSparse(t, registry.Strategy[*gadget]{
		PrepareForCreate: func(_ context.Context, g *gadget) { g.Spec.Mode = "x" },
	})
	_, err := v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, gadgetOf(t, new(sparseGadget), `{"size":"1","mode":"fast","note":"a b"}`), metav1.CreateOptions{})
	wantFields(t, "create", err, "spec.mode spec.note")
}

func wantFields(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil && want == "" {
		return
	}
	if err == nil {
		t.Errorf("%s is accepted, want a refusal for %s", what, want)
		return
	}
	if got := fieldsOf(status(t, err)); got != want {
		t.Errorf("%s is refused for %q, want %q: %v", what, got, want, err)
	}
}
