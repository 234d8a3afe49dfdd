package registry_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// parts is a server whose kind has subresources, by "version/subresource".
type parts struct {
	*server
	of map[string]rest.Resource
}

func serveParts(t *testing.T, s strategy) parts {
	t.Helper()
	scheme := widget.Scheme()
	resource := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind:      widget.GroupKind,
		Plural:         "widgets",
		Namespaced:     true,
		StorageVersion: widget.GV1beta1,
		Versions:       []schema.GroupVersion{widget.GV1, widget.GV1beta1, widget.GVOld},
		CopyStatus:     widget.CopyStatus,
		Strategy:       s,
	})
	form, err := resource.Form(scheme, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	served, err := resource.Serve(scheme, memory.New(memory.Config{Database: db, Root: "/registry", Form: form}), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := parts{&server{t: t, Database: db, v1: served[0], beta: served[1], old: served[2]}, map[string]rest.Resource{}}
	for _, r := range served[3:] {
		out.of[r.GroupVersion.Version+"/"+r.Subresource] = r
	}
	return out
}

// updateStatus writes the status subresource of "w" in v1.
func (p parts) updateStatus(obj runtime.Object) (*widget.V1, error) {
	p.t.Helper()
	view, created, err := p.of["v1/status"].Update.Update(ctx, new(rest.Request), named, obj, metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	if created {
		p.t.Error("a write of a subresource says that it created the object")
	}
	return read[*widget.V1](p.t, view), nil
}

func TestSubresourcesAreResources(t *testing.T) {
	p := serveParts(t, strategy{})
	if len(p.of) != 4 { // the version without a place for replicas has no scale
		t.Errorf("there are %d subresources, want 4", len(p.of))
	}
	for name, r := range p.of {
		if r.Name != "widgets" || r.Kind != "Widget" || !r.Namespaced || r.Get == nil || r.Update == nil || r.List != nil || r.Create != nil || r.Delete != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := p.of["v1/scale"]; r.BodyKind.String() != "autoscaling/v1, Kind=Scale" || r.NewBody == nil {
		t.Errorf("v1/scale: %+v", r)
	}
	if r := p.of["v1/status"]; !r.BodyKind.Empty() || r.NewBody != nil {
		t.Errorf("v1/status: %+v", r)
	}
	plain := serve(t, strategy{})
	if plain.v1.Subresource != "" {
		t.Error("the first resources are the objects themselves")
	}
}

func TestStatusIsWrittenByItself(t *testing.T) {
	p := serveParts(t, strategy{})

	// A new object begins without a status.
	first := p.mustCreate(`{"metadata":{"name":"w","labels":{"a":"b"},"finalizers":["example.com/f"]},"status":{"phase":"Forged"}}`)
	if first.Status != (widget.Status{}) {
		t.Errorf("created with status %+v", first.Status)
	}

	// In a write of the status nothing else counts.
	obj := p.mustGet(named)
	obj.Status.Phase, obj.Spec.Color = "Ready", "green"
	obj.Labels, obj.Finalizers, obj.Annotations = nil, nil, map[string]string{"c": "d"}
	second, err := p.updateStatus(obj)
	if err != nil {
		t.Fatal(err)
	}
	want := *first
	want.Status.Phase, want.ResourceVersion = "Ready", fmt.Sprint(p.Revision())
	if diff := cmp.Diff(&want, second); diff != "" {
		t.Errorf("status written (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(second, p.mustGet(named)); diff != "" {
		t.Errorf("answered and stored differ (-answered +stored)\n%s", diff)
	}

	// In a write of the object the status does not count.
	obj = p.mustGet(named)
	obj.Status.Phase, obj.Spec.Color = "Forged", "green"
	third, err := p.update(obj)
	if err != nil {
		t.Fatal(err)
	}
	if third.Status.Phase != "Ready" || third.Spec.Color != "green" || third.Generation != 2 {
		t.Errorf("object written: %+v", third)
	}
	before := p.Revision()
	obj = p.mustGet(named)
	obj.Status.Phase = "Forged"
	if _, err := p.update(obj); err != nil || p.Revision() != before {
		t.Errorf("a write of nothing but the status at the object wrote something: %v", err)
	}

	// In another version, too.
	view, _, err := p.of["v1beta1/status"].Update.Update(ctx, new(rest.Request), named, parse(t, widget.GV1beta1, `{"metadata":{"name":"w"},"status":{"phase":"Done"}}`), metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := read[*widget.V1beta1](t, view); got.Status.Phase != "Done" || got.Spec.Colour != "green" {
		t.Errorf("written as v1beta1: %+v", got)
	}
	view, err = p.of["v1/status"].Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.mustGet(named), read[*widget.V1](t, view)); diff != "" {
		t.Errorf("read at the status and at the object differ\n%s", diff)
	}

	// A dry run answers and writes nothing.
	before = p.Revision()
	view, _, err = p.of["v1/status"].Update.Update(ctx, new(rest.Request), named, parse(t, widget.GV1, `{"metadata":{"name":"w"},"status":{"phase":"Dry"}}`), metav1.UpdateOptions{DryRun: []string{"All"}})
	if err != nil || read[*widget.V1](t, view).Status.Phase != "Dry" || p.Revision() != before {
		t.Errorf("dry run: %v, revision %d, was %d", err, p.Revision(), before)
	}
}

// TestStatusOnCreate: what registers itself comes with its status; later that is written by itself.
func TestStatusOnCreate(t *testing.T) {
	p := serveParts(t, strategy{StatusOnCreate: true})
	first := p.mustCreate(`{"metadata":{"name":"w"},"status":{"phase":"Ready"}}`)
	if first.Status.Phase != "Ready" || p.mustGet(named).Status.Phase != "Ready" {
		t.Errorf("created with status %+v", first.Status)
	}
	obj := p.mustGet(named)
	obj.Status.Phase, obj.Spec.Color = "Forged", "green"
	if second, err := p.update(obj); err != nil || second.Status.Phase != "Ready" {
		t.Errorf("an update of the object: %+v, %v", second, err)
	}
}

func TestStatusWritesAreGuarded(t *testing.T) {
	p := serveParts(t, strategy{AllowCreateOnUpdate: true})
	_, err := p.updateStatus(parse(t, widget.GV1, `{"metadata":{"name":"w"}}`))
	wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)

	stale := p.mustCreate(`{"metadata":{"name":"w"}}`)
	obj := p.mustGet(named)
	obj.Spec.Color = "green"
	if _, err := p.update(obj); err != nil {
		t.Fatal(err)
	}
	stale.Status.Phase = "Ready"
	_, err = p.updateStatus(stale)
	wantStatus(t, err, 409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com "w": the object has been modified; please apply your changes to the latest version and try again`)
	_, err = p.updateStatus(parse(t, widget.GV1, `{"metadata":{"name":"w","uid":"another"}}`))
	if status(t, err).Code != 409 {
		t.Errorf("another object: %v", err)
	}
	_, err = p.updateStatus(parse(t, widget.GV1, `{"metadata":{"name":"other"}}`))
	wantStatus(t, err, 400, "BadRequest", "the name of the object (other) does not match the name on the URL (w)")
	_, err = p.updateStatus(parse(t, widget.GV1, `{"metadata":{"name":"w","namespace":"other"}}`))
	if status(t, err).Code != 400 {
		t.Errorf("another namespace: %v", err)
	}
	if got := p.mustGet(named); got.Status.Phase != "" {
		t.Errorf("a refused write was stored: %+v", got)
	}
}

// Each write asks the rules that are meant for it, and the strategy has the last word about the
// status.
func TestRulesOfSubresources(t *testing.T) {
	var asked []string
	ask := func(rule string) field.ErrorList { asked = append(asked, rule); return nil }
	p := serveParts(t, strategy{
		PrepareForCreate: func(_ context.Context, obj *widget.Widget) {
			ask("PrepareForCreate")
			if obj.Status.Phase != "" {
				t.Errorf("the status of a new object is %+v when it is prepared", obj.Status)
			}
			seen := int64(1)
			obj.Status = widget.Status{Phase: "Pending", Seen: &seen}
		},
		PrepareForUpdate: func(_ context.Context, obj, old *widget.Widget) {
			ask("PrepareForUpdate")
			if *obj.Status.Seen++; *old.Status.Seen == *obj.Status.Seen {
				t.Error("a change of the status is one of the old object, too")
			}
		},
		Validate: func(context.Context, *widget.Widget) field.ErrorList { return ask("Validate") },
		ValidateUpdate: func(_ context.Context, obj, _ *widget.Widget) field.ErrorList {
			if ask("ValidateUpdate"); obj.Spec.Replicas > 5 {
				return field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), obj.Spec.Replicas, "too many")}
			}
			return nil
		},
		StatusUpdate: registry.StatusUpdate[*widget.Widget]{
			Prepare: func(_ context.Context, obj, old *widget.Widget) {
				ask("PrepareForStatusUpdate")
				if obj.Status.Seen == nil { // of a client that does not know it
					obj.Status.Seen = old.Status.Seen
				}
			},
			Validate: func(_ context.Context, obj, old *widget.Widget) field.ErrorList {
				if ask("ValidateStatusUpdate"); obj.Spec.Color != old.Spec.Color {
					t.Error("something else than the status differs")
				}
				if obj.Status.Phase == "Wrong" {
					return field.ErrorList{field.Invalid(field.NewPath("status", "phase"), obj.Status.Phase, "no such phase")}
				}
				return nil
			},
		},
		Canonicalize: func(*widget.Widget) { ask("Canonicalize") },
	})
	wantAsked := func(of string, want ...string) {
		t.Helper()
		if !slices.Equal(asked, want) {
			t.Errorf("%s asks %q, want %q", of, asked, want)
		}
		asked = nil
	}
	if got := p.mustCreate(`{"metadata":{"name":"w"},"status":{"phase":"Forged"}}`); got.Status.Phase != "Pending" {
		t.Errorf("created: %+v", got.Status)
	}
	wantAsked("a create", "PrepareForCreate", "Validate", "Canonicalize")
	if got, err := p.update(parse(t, widget.GV1, `{"metadata":{"name":"w"}}`)); err != nil || *got.Status.Seen != 2 {
		t.Errorf("updated: %+v %v", got, err)
	}
	wantAsked("an update", "PrepareForUpdate", "ValidateUpdate", "Canonicalize")
	if _, err := p.updateStatus(parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"replicas":9},"status":{"phase":"Ready","seen":1}}`)); err != nil {
		t.Error(err)
	}
	wantAsked("a write of the status", "PrepareForStatusUpdate", "ValidateStatusUpdate", "Canonicalize")
	if got, err := p.updateStatus(parse(t, widget.GV1, `{"metadata":{"name":"w"},"status":{"phase":"Gone"}}`)); err != nil || got.Status.Phase != "Gone" || got.Status.Seen == nil {
		t.Errorf("a status without what is kept: %+v %v", got, err)
	}
	_, err := p.updateStatus(parse(t, widget.GV1, `{"metadata":{"name":"w"},"status":{"phase":"Wrong"}}`))
	wantStatus(t, err, 422, "Invalid", `Widget.shop.example.com "w" is invalid: status.phase: Invalid value: "Wrong": no such phase`)
	asked = nil
	if _, err := p.scale("v1", aScale(4)); err != nil {
		t.Error(err)
	}
	wantAsked("a write of the scale", "PrepareForUpdate", "ValidateUpdate", "Canonicalize")
	_, err = p.scale("v1", aScale(6))
	wantStatus(t, err, 422, "Invalid", `Widget.shop.example.com "w" is invalid: spec.replicas: Invalid value: 6: too many`)
}
