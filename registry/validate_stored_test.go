package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/rules"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// putV1 puts an object into the database that no rule has seen.
func (s *server) putV1(data string) {
	s.t.Helper()
	w := parse(s.t, widget.GV1, data).(*widget.V1)
	widget.DefaultV1(w)
	s.Put("/registry/shop.example.com/widgets/ns/w", encodeV1(s.t, w))
}

// versions serves a widget of two versions whose best one, which is stored, has a default and rules
// that the other lacks.
type versions struct {
	soil         bool // an option called soil is there by default
	rules        func(ctx context.Context, op operation.Operation, path *field.Path, obj, old *widget.V1) field.ErrorList
	ownRulesOnly bool
	strategy     strategy
	admission    *admission.Chain
}

func (v versions) serve(t *testing.T) *server {
	t.Helper()
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, widget.GroupKind, func() *widget.Widget { return new(widget.Widget) })
	runtime.AddVersion(hub, runtime.Version[*widget.V1, *widget.Widget]{
		GroupVersion: widget.GV1,
		New:          func() *widget.V1 { return new(widget.V1) },
		NewList:      func() apiruntime.Object { return new(widget.V1List) },
		Default: func(in *widget.V1) {
			widget.DefaultV1(in)
			if v.soil && in.Spec.Options["soil"] == "" {
				in.Spec.Options = map[string]string{"soil": "loam"}
			}
		},
		ToHub: widget.V1ToHub, FromHub: widget.HubToV1, Validate: v.rules, CompareFields: widget.CompareFieldsV1,
	})
	runtime.AddVersion(hub, runtime.Version[*widget.V1beta1, *widget.Widget]{
		GroupVersion: widget.GV1beta1,
		New:          func() *widget.V1beta1 { return new(widget.V1beta1) },
		NewList:      func() apiruntime.Object { return new(widget.V1beta1List) },
		Default:      widget.DefaultV1beta1,
		ToHub:        widget.V1beta1ToHub, FromHub: widget.HubToV1beta1, CompareFields: widget.CompareFieldsV1beta1,
		OwnRulesOnly: v.ownRulesOnly,
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	resource := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true, StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1, widget.GV1beta1},
		CopyStatus: widget.CopyStatus, Strategy: v.strategy,
	})
	opts := registry.Options{Schemas: widgetSchemas(t), Admission: v.admission}
	form, err := resource.Form(scheme, opts)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	served, err := resource.Serve(scheme, memory.New(memory.Config{Database: db, Root: "/registry", Form: form}), opts)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, Database: db, v1: served[0], beta: served[1]}
	for _, r := range served {
		if r.GroupVersion == widget.GV1beta1 && r.Subresource == "status" {
			s.betaStatus = r
		}
	}
	return s
}

// betaWrites are the ways to write spec and metadata of "w" as v1beta1, with the spec in JSON.
// There is an object unless create.
var betaWrites = map[string]struct {
	create bool
	write  func(s *server, spec string) error
}{
	"create": {true, func(s *server, spec string) error {
		_, err := s.beta.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(s.t, widget.GV1beta1, `{"metadata":{"name":"w"},"spec":`+spec+`}`), metav1.CreateOptions{})
		return err
	}},
	"create by update": {true, updateBeta},
	"create by apply":  {true, applyBeta},
	"update":           {false, updateBeta},
	"apply":            {false, applyBeta},
	"merge patch": {false, func(s *server, spec string) error {
		return patchBeta(s, types.MergePatchType, `{"spec":`+spec+`}`)
	}},
	"strategic patch": {false, func(s *server, spec string) error {
		return patchBeta(s, types.StrategicMergePatchType, `{"spec":`+spec+`}`)
	}},
	"json patch": {false, func(s *server, spec string) error {
		return patchBeta(s, types.JSONPatchType, `[{"op":"add","path":"/spec","value":`+spec+`}]`)
	}},
}

func updateBeta(s *server, spec string) error {
	_, _, err := s.beta.Update.Update(ctx, new(rest.Request), named, parse(s.t, widget.GV1beta1, `{"metadata":{"name":"w"},"spec":`+spec+`}`), metav1.UpdateOptions{})
	return err
}

func applyBeta(s *server, spec string) error {
	_, _, err := applyAs(s.beta, "me", `{"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"spec":`+spec+`}`, true)
	return err
}

func patchBeta(s *server, typ types.PatchType, text string) error {
	_, _, err := s.beta.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: typ, Bytes: []byte(text)}, metav1.PatchOptions{})
	return err
}

const byV1 = " (by the rules of shop.example.com/v1, the version that is stored)"

// TestOlderVersionsLetNothingIn that the storage version forbids, whatever the write: as long as
// the older version has the field.
func TestOlderVersionsLetNothingIn(t *testing.T) {
	creatable := strategy{AllowCreateOnUpdate: true}
	for name, w := range betaWrites {
		t.Run(name, func(t *testing.T) {
			serve := func(v versions) *server {
				v.strategy = creatable
				s := v.serve(t)
				if !w.create {
					s.putV1(`{"metadata":{"name":"w","namespace":"ns","uid":"u"},"spec":{"replicas":2}}`)
				}
				return s
			}
			s := serve(versions{rules: widget.Validate_V1})
			before := s.raw(named)
			wantCauses(t, w.write(s, `{"replicas":5000}`), fmt.Sprintf(tooMany, 5000)+byV1)
			if s.raw(named) != before {
				t.Error("it was refused and written")
			}
			// The rule is about a field that v1beta1 calls otherwise, so its clients would look for
			// it in vain.
			if err := w.write(s, `{"colour":"rainbow"}`); err != nil {
				t.Errorf("a field that v1beta1 does not have: %v", err)
			}
			s = serve(versions{rules: widget.Validate_V1, ownRulesOnly: true})
			if err := w.write(s, `{"replicas":5000}`); err != nil {
				t.Errorf("a version with its own rules only: %v", err)
			}
		})
	}
}

// TestStoredObjectsAreNotJudgedAgain by the rules of the storage version, when another version is
// written through: also where these are written by hand and look at no old object.
func TestStoredObjectsAreNotJudgedAgain(t *testing.T) {
	poison := func(ctx context.Context, op operation.Operation, path *field.Path, obj, old *widget.V1) field.ErrorList {
		errs := widget.Validate_V1(ctx, op, path, obj, old)
		if obj.Spec.Options["poison"] != "" {
			errs = append(errs, field.Required(field.NewPath("spec", "options").Key("antidote"), ""))
		}
		if len(obj.Spec.Parts) > 1 {
			errs = append(errs, field.TooMany(field.NewPath("spec", "parts"), len(obj.Spec.Parts), 1))
		}
		return errs
	}
	s := versions{rules: poison}.serve(t)
	s.putV1(`{"metadata":{"name":"w","namespace":"ns","uid":"u"},"spec":{"replicas":5000,"options":{"fixed":"a","poison":"yes"}}}`)
	view, err := s.beta.Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := read[*widget.V1beta1](t, view)
	update := func(change func(*widget.V1beta1)) error {
		next := w.DeepCopyObject().(*widget.V1beta1)
		next.ResourceVersion = ""
		change(next)
		_, _, err := s.beta.Update.Update(ctx, new(rest.Request), named, next, metav1.UpdateOptions{})
		return err
	}
	if err := update(func(w *widget.V1beta1) { w.Labels = map[string]string{"a": "b"}; w.Spec.Colour = "red" }); err != nil {
		t.Errorf("an update that leaves alone what is wrong: %v", err)
	}
	wantCauses(t, update(func(w *widget.V1beta1) {
		w.Spec.Replicas = 6000
		w.Spec.Options = map[string]string{"fixed": "b", "poison": "yes"}
		w.Spec.Parts = []widget.Part{{Name: "a"}, {Name: "b"}}
	}), fmt.Sprintf(tooMany, 6000)+byV1, `spec.options[fixed]: Invalid value: "b": field is immutable`+byV1, `spec.parts: Too many: 2: must have at most 1 item`+byV1)

	// The status is a subresource, and judged with the object around it.
	w.ResourceVersion, w.Status.Phase = "", strings.Repeat("x", 65)
	_, _, err = s.betaStatus.Update.Update(ctx, new(rest.Request), named, w, metav1.UpdateOptions{})
	wantCauses(t, err, `status.phase: Too long: may not be more than 64 bytes`+byV1)
}

// TestDefaultsOfTheStorageVersion: an older version can't say soil. Who judges what its clients
// wrote sees what will be stored.
func TestDefaultsOfTheStorageVersion(t *testing.T) {
	for name, w := range betaWrites {
		t.Run(name, func(t *testing.T) {
			var seen []string
			look := func(who string, w *widget.Widget) {
				if len(w.Spec.Parts) > 0 {
					seen = append(seen, fmt.Sprintf("%s: %s, %d", who, w.Spec.Options["soil"], w.Spec.Parts[0].Count))
				}
			}
			chain := new(admission.Chain)
			chain.Set([]admission.Plugin{{
				Name: "P",
				Mutate: func(_ context.Context, r *admission.Request) error {
					look("mutate", r.Object.(*widget.Widget))
					return nil
				},
				Validate: func(_ context.Context, r *admission.Request) error {
					look("admit", r.Object.(*widget.Widget))
					return nil
				},
			}})
			s := versions{soil: true, admission: chain, strategy: strategy{
				AllowCreateOnUpdate: true,
				PrepareForCreate:    func(_ context.Context, w *widget.Widget) { look("prepare", w) },
				PrepareForUpdate:    func(_ context.Context, w, _ *widget.Widget) { look("prepare", w) },
				Validate: func(_ context.Context, w *widget.Widget) field.ErrorList {
					look("validate", w)
					return nil
				},
				Canonicalize: func(w *widget.Widget) { look("canonicalize", w) },
			}}.serve(t)
			if !w.create {
				s.putV1(`{"metadata":{"name":"w","namespace":"ns","uid":"u"}}`)
			}
			if err := w.write(s, `{"parts":[{"name":"p"}]}`); err != nil {
				t.Fatal(err)
			}
			want := []string{"mutate: loam, 1", "prepare: loam, 1", "validate: loam, 1", "canonicalize: loam, 1", "admit: loam, 1"}
			if diff := cmp.Diff(want, slices.Compact(seen)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// An apply patch to an object says what was sent, and what of it was there, also of a kind with
// protobuf.
func TestApplySaysWhatWasSent(t *testing.T) {
	s := versions{rules: func(ctx context.Context, op operation.Operation, _ *field.Path, obj, _ *widget.V1) field.ErrorList {
		if obj.Spec.Color == "red" {
			return nil
		}
		return rules.RequiredMap(ctx, op, field.NewPath("spec", "options"), obj.Spec.Options, nil, false)
	}}.serve(t)
	apply := func(by, spec string) error {
		_, _, err := applyAs(s.v1, by, `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":`+spec+`}`, true)
		return err
	}
	if err := apply("me", `{"color":"red"}`); err != nil {
		t.Fatal(err)
	}
	wantCauses(t, apply("me", `{"color":"green"}`), "spec.options: Required value")
	if err := apply("me", `{"color":"green","options":{}}`); err != nil {
		t.Errorf("with options, of which there are none: %v", err)
	}
	if err := apply("me", `{"color":"green","options":{"a":"b"}}`); err != nil {
		t.Fatal(err)
	}
	if err := apply("other", `{"color":"blue"}`); err != nil {
		t.Errorf("the options are there: %v", err)
	}
}

// An apply patch that makes an object says what was sent, also of a kind with protobuf.
func TestCreateByApplySaysWhatWasSent(t *testing.T) {
	s := versions{
		strategy: strategy{AllowCreateOnUpdate: true},
		rules: func(ctx context.Context, op operation.Operation, _ *field.Path, obj, _ *widget.V1) field.ErrorList {
			return rules.RequiredMap(ctx, op, field.NewPath("spec", "options"), obj.Spec.Options, nil, false)
		},
	}.serve(t)
	apply := func(spec string) error {
		_, _, err := applyAs(s.v1, "me", `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":`+spec+`}`, true)
		return err
	}
	wantCauses(t, apply(`{"replicas":2}`), "spec.options: Required value")
	if err := apply(`{"replicas":2,"options":{}}`); err != nil {
		t.Errorf("with options, of which there are none: %v", err)
	}
}
