package runtime_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

var (
	v1    = widget.GV1.WithKind("Widget")
	beta  = widget.GV1beta1.WithKind("Widget")
	older = widget.GVOld.WithKind("Widget")
)

func TestSchemeAnswers(t *testing.T) {
	s := widget.Scheme()
	if diff := cmp.Diff([]string{"legacy.example.com", "shop.example.com"}, s.Groups()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]schema.GroupVersion{widget.GV1, widget.GV1beta1}, s.VersionsOf("shop.example.com")); diff != "" {
		t.Error(diff)
	}
	var kinds []schema.GroupVersionKind
	for _, k := range s.KindsOfHub(widget.GroupKind) {
		kinds = append(kinds, k.GroupVersionKind())
		if k.Hub() != widget.GroupKind || k.ListKind() != k.GroupVersionKind().GroupVersion().WithKind("WidgetList") {
			t.Errorf("%v has hub %v, list %v", k.GroupVersionKind(), k.Hub(), k.ListKind())
		}
	}
	if diff := cmp.Diff([]schema.GroupVersionKind{v1, beta, older}, kinds); diff != "" {
		t.Errorf("versions of the hub, its own group first (-want +got)\n%s", diff)
	}
	if got := s.KindsOf(widget.GV1); len(got) != 1 || got[0].GroupVersionKind() != v1 {
		t.Errorf("kinds of v1: %v", got)
	}
	for gvk, want := range map[schema.GroupVersionKind]any{v1: &widget.V1{}, beta: &widget.V1beta1{}, older: &widget.Old{}} {
		obj, err := s.New(gvk)
		if err != nil || cmp.Diff(want, any(obj)) != "" || !s.Recognizes(gvk) {
			t.Errorf("New(%v) = %T, %v", gvk, obj, err)
		}
		if k, err := s.KindOf(obj); err != nil || k.GroupVersionKind() != gvk {
			t.Errorf("KindOf(%T) = %v, %v", obj, k, err)
		}
		if _, err := s.NewList(gvk); err != nil {
			t.Error(err)
		}
	}
	if hub, err := s.NewHub(widget.GroupKind); err != nil {
		t.Error(err)
	} else if gk, ok := s.HubOf(hub); !ok || gk != widget.GroupKind {
		t.Errorf("HubOf(%T) = %v, %v", hub, gk, ok)
	}

	gadget := widget.GV1.WithKind("Gadget")
	var missing *runtime.NotRegisteredError
	if _, err := s.New(gadget); !errors.As(err, &missing) || missing.GroupVersionKind != gadget || err.Error() != `no kind "Gadget" is registered for version "shop.example.com/v1"` {
		t.Errorf("New of something else: %v", err)
	}
	if _, err := s.KindOf(&widget.Widget{}); !errors.As(err, &missing) || err.Error() != "no kind is registered for the type *widget.Widget" {
		t.Errorf("KindOf a hub: %v", err)
	}
}

func TestConversionGoesThroughTheHub(t *testing.T) {
	s := widget.Scheme()
	in := &widget.V1beta1{}
	in.Name, in.Spec.Replicas = "w", 3
	s.Default(in)
	out, err := s.Convert(in, v1)
	if err != nil {
		t.Fatal(err)
	}
	three := int32(3)
	want := &widget.V1{Spec: widget.V1Spec{Color: "blue", Replicas: &three}}
	want.Name = "w"
	if diff := cmp.Diff(any(want), any(out)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if same, err := s.Convert(in, beta); err != nil || same != runtime.Object(in) {
		t.Errorf("to its own version: %v, %v", same, err)
	}
	if diff := cmp.Diff(map[string]string{"spec.colour": "blue"}, s.SelectableFields(beta, in)); diff != "" {
		t.Error(diff)
	}
	hub, err := s.ToHub(out)
	if err != nil {
		t.Fatal(err)
	}
	if old, err := s.FromHub(hub, older); err != nil || old.(*widget.Old).Count != 3 {
		t.Errorf("to the version of another group: %+v, %v", old, err)
	}
	if _, err := s.FromHub(out, older); err == nil || err.Error() != "convert to Widget in legacy.example.com/v1alpha1: a *widget.V1 is not of its hub type *widget.Widget" {
		t.Errorf("from what is no hub: %v", err)
	}
	in.Spec.Colour = "unconvertible"
	if _, err := s.Convert(in, v1); err == nil || err.Error() != `convert Widget in shop.example.com/v1beta1 to its hub: spec.colour: "unconvertible" has no color` {
		t.Errorf("a failing conversion: %v", err)
	}
}

func TestStatusFieldIsFound(t *testing.T) {
	s := widget.Scheme()
	for gvk, want := range map[schema.GroupVersionKind]int32{v1: 3, beta: 3, older: 0} {
		if k, err := s.Kind(gvk); err != nil || k.StatusField() != want || k.Protobuf() != (want != 0) {
			t.Errorf("%v: status is field %d, want %d; %v", gvk, k.StatusField(), want, err)
		}
	}
}

func TestVersionsInOrderOfPreference(t *testing.T) {
	want := []string{"v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10", "v", "v1betax", "v1gamma2"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, runtime.CompareVersions)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAHubMayBeAVersion(t *testing.T) {
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, widget.GroupKind, func() *widget.V1 { return new(widget.V1) })
	runtime.AddVersion(hub, runtime.Version[*widget.V1, *widget.V1]{
		GroupVersion: widget.GV1,
		New:          func() *widget.V1 { return new(widget.V1) },
		NewList:      func() apiruntime.Object { return new(widget.V1List) },
	})
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in := new(widget.V1)
	hubbed, err := s.ToHub(in)
	if err != nil || hubbed != runtime.Object(in) {
		t.Errorf("%v, %v", hubbed, err)
	}
	if back, err := s.FromHub(hubbed, v1); err != nil || back != runtime.Object(in) {
		t.Errorf("%v, %v", back, err)
	}
}

func BenchmarkSchemeNew(b *testing.B) {
	s := widget.Scheme()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s.New(v1)
		}
	})
}

// Fields meet by their names, and those that the other version has not are dropped.
func TestSameJSON(t *testing.T) {
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, widget.GroupKind, func() *widget.V1 { return new(widget.V1) })
	runtime.AddVersion(hub, runtime.Version[*widget.V1beta1, *widget.V1]{GroupVersion: widget.GV1beta1, SameJSON: true,
		New: func() *widget.V1beta1 { return new(widget.V1beta1) }, NewList: func() apiruntime.Object { return new(widget.V1beta1List) }})
	runtime.AddVersion(hub, runtime.Version[*widget.V1, *widget.V1]{GroupVersion: widget.GV1,
		New: func() *widget.V1 { return new(widget.V1) }, NewList: func() apiruntime.Object { return new(widget.V1List) }})
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in := &widget.V1beta1{Spec: widget.V1beta1Spec{Colour: "red", Replicas: 3, Parts: []widget.Part{{Name: "a"}}}}
	in.Name, in.APIVersion = "w", widget.GV1beta1.String()
	obj, err := s.Convert(in, v1)
	if err != nil {
		t.Fatal(err)
	}
	three := int32(3)
	want := &widget.V1{Spec: widget.V1Spec{Replicas: &three, Parts: []widget.Part{{Name: "a"}}}}
	want.Name = "w"
	if diff := cmp.Diff(any(want), any(obj)); diff != "" {
		t.Errorf("to the hub (-want +got)\n%s", diff)
	}
	back, err := s.Convert(obj, beta)
	if err != nil {
		t.Fatal(err)
	}
	in.Spec.Colour, in.APIVersion = "", ""
	if diff := cmp.Diff(any(in), any(back)); diff != "" {
		t.Errorf("and back (-want +got)\n%s", diff)
	}
}
