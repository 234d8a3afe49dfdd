package registry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// admitted is a server that writes down in which order the steps of a write come.
type admitted struct {
	*server
	chain         *admission.Chain
	status, scale rest.Resource
	trace         []string
	decoded       int    // how often a stored object was made of its bytes
	before        func() // comes between an update's last step and its write
	noted         func() // comes with each step
}

func (a *admitted) note(format string, args ...any) {
	a.trace = append(a.trace, fmt.Sprintf(format, args...))
	a.noted()
}

// traced is a store that notes writes.
type traced struct {
	storage.Interface
	*admitted
}

func (s traced) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	s.note("put with %d", len(with))
	return s.Interface.Create(ctx, key, value, with...)
}

func (s traced) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return s.Interface.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
		value, with, err := try(current)
		if err == nil {
			s.before()
			s.note("put with %d", len(with))
		}
		return value, with, err
	})
}

func (s traced) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	return s.Interface.Delete(ctx, key, func(current storage.Entry) ([]storage.Op, error) {
		with, err := check(current)
		if err == nil {
			s.note("remove with %d", len(with))
		}
		return with, err
	})
}

func serveAdmitted(t *testing.T) *admitted {
	t.Helper()
	a := &admitted{chain: new(admission.Chain), before: func() {}, noted: func() {}}
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, widget.GroupKind, func() *widget.Widget { return new(widget.Widget) })
	runtime.AddVersion(hub, runtime.Version[*widget.V1, *widget.Widget]{
		GroupVersion: widget.GV1,
		New:          func() *widget.V1 { return new(widget.V1) },
		NewList:      func() apiruntime.Object { return new(widget.V1List) },
		Default:      widget.DefaultV1,
		ToHub: func(in *widget.V1, out *widget.Widget) error {
			a.decoded++
			return widget.V1ToHub(in, out)
		},
		FromHub: widget.HubToV1,
		Scale: func(in *widget.V1) (scale runtime.Scale) {
			if in.Spec.Replicas != nil {
				scale.Replicas = *in.Spec.Replicas
			}
			return scale
		},
		SetReplicas: func(in *widget.V1, replicas int32) { in.Spec.Replicas = &replicas },
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	resource := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true, StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1},
		CopyStatus: widget.CopyStatus,
		Strategy: strategy{
			PrepareForCreate: func(_ context.Context, w *widget.Widget) { a.note("prepare uid=%t", w.UID != "") },
			PrepareForUpdate: func(context.Context, *widget.Widget, *widget.Widget) { a.note("prepare") },
			Validate: func(context.Context, *widget.Widget) field.ErrorList {
				a.note("rules")
				return nil
			},
			StatusUpdate: registry.StatusUpdate[*widget.Widget]{Validate: func(context.Context, *widget.Widget, *widget.Widget) field.ErrorList {
				a.note("rules of status")
				return nil
			}},
			Canonicalize:        func(*widget.Widget) { a.note("canonicalize") },
			AllowCreateOnUpdate: true,
		},
	})
	opts := registry.Options{Schemas: widgetSchemas(t), Admission: a.chain}
	form, err := resource.Form(scheme, opts)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	served, err := resource.Serve(scheme, traced{memory.New(memory.Config{Database: db, Root: "/registry", Form: form}), a}, opts)
	if err != nil {
		t.Fatal(err)
	}
	a.server, a.status, a.scale = &server{t: t, Database: db, v1: served[0]}, served[1], served[2]
	return a
}

// follower notes what it is asked, labels every object, and charges every write.
func (a *admitted) follower() admission.Plugin {
	what := func(step string, r *admission.Request) {
		line := fmt.Sprintf("%s %s", step, r.Operation)
		if r.Subresource != "" {
			line += " of " + r.Subresource
		}
		if r.Name == "" {
			line += " without a name"
		}
		if r.Old != nil {
			line += " of what is there"
		}
		if r.DryRun {
			line += ", dry"
		}
		a.note("%s", line)
	}
	return admission.Plugin{
		Name: "Follower",
		Mutate: func(_ context.Context, r *admission.Request) error {
			what("mutate", r)
			if w, ok := r.Object.(*widget.Widget); ok {
				w.Labels = map[string]string{"seen": "yes"}
			}
			return nil
		},
		Validate: func(_ context.Context, r *admission.Request) error {
			what("judge", r)
			return nil
		},
		Transact: func(_ context.Context, r *admission.Request) ([]storage.Op, error) {
			what("charge", r)
			_, rev := a.Database.Get("/registry/accounts/ns")
			return []storage.Op{{Key: "/accounts/ns", Expected: rev, Value: []byte(r.Name)}}, nil
		},
	}
}

// TestOrderOfAdmission is the contract of every way to write. Admission changes an object before
// its fields get owners and before it has its metadata. It judges the object after the rules of its
// kind, in the form in which it is stored. What a write costs is asked last.
func TestOrderOfAdmission(t *testing.T) {
	object := func(text string) *widget.V1 { return parse(t, widget.GV1, text).(*widget.V1) }
	const wanted = `{"metadata":{"name":"w"},"spec":{"color":"green","options":{"o":"x"}}}`
	patch := func(patchType types.PatchType, text string) func(*admitted) error {
		return func(a *admitted) error {
			_, _, err := a.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: patchType, Bytes: []byte(text)}, metav1.PatchOptions{FieldManager: "me"})
			return err
		}
	}
	const applied = `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"color":"green"}}`
	created := func(first string) []string {
		return []string{first, "prepare uid=true", "rules", "canonicalize", "judge CREATE", "charge CREATE", "put with 1"}
	}
	updated := []string{"mutate UPDATE of what is there", "prepare", "rules", "canonicalize", "judge UPDATE of what is there", "charge UPDATE of what is there", "put with 1"}
	status := []string{"mutate UPDATE of status of what is there", "rules of status", "canonicalize", "judge UPDATE of status of what is there", "charge UPDATE of status of what is there", "put with 1"}
	scaled := []string{"mutate UPDATE of scale of what is there", "judge UPDATE of scale of what is there", "prepare", "rules", "canonicalize", "charge UPDATE of what is there", "put with 1"}
	for _, tc := range []struct {
		name  string
		there bool // the object
		write func(*admitted) error
		want  []string
	}{
		{name: "create", want: created("mutate CREATE"), write: func(a *admitted) error {
			_, err := a.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, object(wanted), metav1.CreateOptions{FieldManager: "me"})
			return err
		}},
		{name: "create with a generated name", want: created("mutate CREATE without a name"), write: func(a *admitted) error {
			_, err := a.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, object(`{"metadata":{"generateName":"w-"}}`), metav1.CreateOptions{FieldManager: "me"})
			return err
		}},
		{name: "create by update", want: created("mutate CREATE"), write: func(a *admitted) error {
			_, _, err := a.v1.Update.Update(ctx, new(rest.Request), named, object(wanted), metav1.UpdateOptions{FieldManager: "me"})
			return err
		}},
		{name: "create by apply", want: created("mutate CREATE"), write: patch(types.ApplyYAMLPatchType, applied)},
		{name: "update", there: true, want: updated, write: func(a *admitted) error {
			_, _, err := a.v1.Update.Update(ctx, new(rest.Request), named, object(wanted), metav1.UpdateOptions{FieldManager: "me"})
			return err
		}},
		{name: "merge patch", there: true, want: updated, write: patch(types.MergePatchType, `{"spec":{"color":"green"}}`)},
		{name: "JSON patch", there: true, want: updated, write: patch(types.JSONPatchType, `[{"op":"replace","path":"/spec/color","value":"green"}]`)},
		{name: "strategic merge patch", there: true, want: updated, write: patch(types.StrategicMergePatchType, `{"spec":{"color":"green"}}`)},
		{name: "apply", there: true, want: updated, write: func(a *admitted) error {
			_, _, err := applyAs(a.v1, "me", applied, true)
			return err
		}},
		{name: "status", there: true, want: status, write: func(a *admitted) error {
			_, _, err := a.status.Update.Update(ctx, new(rest.Request), named, object(`{"metadata":{"name":"w"},"status":{"phase":"Ready"}}`), metav1.UpdateOptions{FieldManager: "me"})
			return err
		}},
		{name: "a patch of the status", there: true, want: status, write: func(a *admitted) error {
			_, _, err := a.status.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"status":{"phase":"Ready"}}`)}, metav1.PatchOptions{})
			return err
		}},
		{name: "scale", there: true, want: scaled, write: func(a *admitted) error {
			_, _, err := a.scale.Update.Update(ctx, new(rest.Request), named, &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "w"}, Spec: autoscalingv1.ScaleSpec{Replicas: 5}}, metav1.UpdateOptions{})
			return err
		}},
		{name: "delete", there: true, want: []string{"mutate DELETE of what is there", "judge DELETE of what is there", "charge DELETE of what is there", "remove with 1"}, write: func(a *admitted) error {
			_, err := a.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
			return err
		}},
		{name: "delete a collection", there: true, want: []string{"mutate DELETE of what is there", "judge DELETE of what is there", "charge DELETE of what is there", "remove with 1"}, write: func(a *admitted) error {
			_, err := a.v1.DeleteCollection.DeleteCollection(ctx, new(rest.Request), "ns", metav1.DeleteOptions{}, metav1.ListOptions{})
			return err
		}},
		{name: "dry create", want: []string{"mutate CREATE, dry", "prepare uid=true", "rules", "canonicalize", "judge CREATE, dry", "charge CREATE, dry"}, write: func(a *admitted) error {
			_, err := a.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, object(wanted), metav1.CreateOptions{DryRun: []string{"All"}})
			return err
		}},
		{name: "dry update", there: true, want: []string{"mutate UPDATE of what is there, dry", "prepare", "rules", "canonicalize", "judge UPDATE of what is there, dry", "charge UPDATE of what is there, dry"}, write: func(a *admitted) error {
			_, _, err := a.v1.Update.Update(ctx, new(rest.Request), named, object(wanted), metav1.UpdateOptions{DryRun: []string{"All"}})
			return err
		}},
		{name: "dry delete", there: true, want: []string{"mutate DELETE of what is there, dry", "judge DELETE of what is there, dry", "charge DELETE of what is there, dry"}, write: func(a *admitted) error {
			_, err := a.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{DryRun: []string{"All"}})
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := serveAdmitted(t)
			if tc.there {
				a.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"yellow"}}`)
			}
			a.trace = nil
			a.chain.Set([]admission.Plugin{a.follower()})
			if err := tc.write(a); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, a.trace); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestNobodyWaits: when a client leaves, at most one small step follows, and nothing is written.
func TestNobodyWaits(t *testing.T) {
	object := func() *widget.V1 {
		return parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"color":"green"}}`).(*widget.V1)
	}
	force := true
	patch := func(patchType types.PatchType, text string) func(context.Context, *admitted) error {
		return func(ctx context.Context, a *admitted) error {
			_, _, err := a.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: patchType, Bytes: []byte(text)}, metav1.PatchOptions{FieldManager: "me", Force: &force})
			return err
		}
	}
	create := func(ctx context.Context, a *admitted) error {
		_, err := a.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, object(), metav1.CreateOptions{FieldManager: "me"})
		return err
	}
	for name, tc := range map[string]struct {
		write func(context.Context, *admitted) error
		steps int
	}{
		"create": {create, 6},
		"update": {func(ctx context.Context, a *admitted) error {
			_, _, err := a.v1.Update.Update(ctx, new(rest.Request), named, object(), metav1.UpdateOptions{FieldManager: "me"})
			return err
		}, 6},
		"merge patch": {patch(types.MergePatchType, `{"spec":{"color":"green"}}`), 6},
		"apply":       {patch(types.ApplyYAMLPatchType, `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"color":"green"}}`), 6},
	} {
		for leaves := range tc.steps + 1 { // after so many steps
			a := serveAdmitted(t)
			if name != "create" {
				a.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"red"}}`)
			}
			a.chain.Set([]admission.Plugin{a.follower()})
			before := a.raw(named)
			ctx, leave := context.WithCancel(t.Context())
			a.trace, a.noted = nil, func() {
				if len(a.trace) == leaves {
					leave()
				}
			}
			if leaves == 0 {
				leave()
			}
			err := tc.write(ctx, a)
			if !errors.Is(err, context.Canceled) || len(a.trace) > leaves+1 || a.raw(named) != before {
				t.Errorf("%s, gone after %d steps: %v after %q", name, leaves, err, a.trace)
			}
			leave()
		}
	}
}

// TestAttemptsAreJudgedAnew: when another writer comes first, admission sees what that writer has
// written, and an object that nobody has changed yet.
func TestAttemptsAreJudgedAnew(t *testing.T) {
	a := serveAdmitted(t)
	a.mustCreate(`{"metadata":{"name":"w"}}`)
	var seen []string
	a.chain.Set([]admission.Plugin{{Name: "Painter", Mutate: func(_ context.Context, r *admission.Request) error {
		w := r.Object.(*widget.Widget)
		seen = append(seen, fmt.Sprintf("%s over %s", w.Spec.Color, r.Old.(*widget.Widget).Spec.Color))
		w.Spec.Color += "ish"
		return nil
	}}})
	times := 0
	a.before = func() {
		if times++; times == 1 {
			other := a.mustGet(named)
			other.Spec.Color = "black"
			a.Put("/registry/shop.example.com/widgets/ns/w", encodeV1(t, other))
		}
	}
	got, err := a.update(parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"color":"green"}}`))
	if err != nil || got.Spec.Color != "greenish" {
		t.Errorf("%v %+v", err, got)
	}
	if want := []string{"green over red", "green over black"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
	before := a.Revision()
	if again, err := a.update(parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"color":"green"}}`)); err != nil || again.ResourceVersion != got.ResourceVersion || a.Revision() != before {
		t.Errorf("what admission made of it is there already, and something is written: %v", err)
	}
}

// TestDeletionsThatNobodyWants are carried out on the bytes.
func TestDeletionsThatNobodyWants(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		a := serveAdmitted(t)
		a.mustCreate(`{"metadata":{"name":"w"}}`)
		judged, asked := 0, 0
		a.chain.Set([]admission.Plugin{{
			Name: "Choosy",
			Wants: func(r *admission.Request) bool {
				if asked++; asked == 1 && r.Old != nil || r.Object != nil || r.Name != "w" || r.Namespace != "ns" || r.Kind != widget.GV1.WithKind("Widget") {
					t.Errorf("asked about %+v", r)
				}
				return wanted
			},
			Validate: func(_ context.Context, r *admission.Request) error {
				judged++
				if r.Object != nil || r.Old.(*widget.Widget).Name != "w" {
					t.Errorf("judges %+v", r)
				}
				return nil
			},
		}})
		a.decoded = 0
		a.mustDelete()
		if want := map[bool]int{true: 1}[wanted]; judged != want || a.decoded != want {
			t.Errorf("wanted %t: judged %d times, decoded %d times, want %d", wanted, judged, a.decoded, want)
		}
	}
}

// TestAdmissionRefuses: a refusal writes nothing, whatever the write.
func TestAdmissionRefuses(t *testing.T) {
	out := errors.New("we are out of it")
	panicking := func(context.Context, *admission.Request) error { panic("in the dark") }
	const forbidden, internal = `widgets.shop.example.com "w" is forbidden: we are out of it`, "Internal error occurred: the admission plug-in P panicked: in the dark"
	for name, tc := range map[string]struct {
		plugin admission.Plugin
		code   int32
		reason metav1.StatusReason
		want   string
	}{
		"mutate":                {admission.Plugin{Mutate: func(context.Context, *admission.Request) error { return out }}, 403, "Forbidden", forbidden},
		"validate":              {admission.Plugin{Validate: func(context.Context, *admission.Request) error { return out }}, 403, "Forbidden", forbidden},
		"a panic":               {admission.Plugin{Validate: panicking}, 500, "InternalError", internal},
		"one early":             {admission.Plugin{Mutate: panicking}, 500, "InternalError", internal},
		"one over the question": {admission.Plugin{Wants: func(*admission.Request) bool { panic("what?") }, Validate: panicking}, 500, "InternalError", internal},
	} {
		t.Run(name, func(t *testing.T) {
			a := serveAdmitted(t)
			obj := a.mustCreate(`{"metadata":{"name":"w"}}`)
			tc.plugin.Name = "P"
			a.chain.Set([]admission.Plugin{tc.plugin})
			before := a.Revision()
			obj.Spec.Color = "black"
			_, err := a.update(obj)
			wantStatus(t, err, tc.code, tc.reason, tc.want)
			_, err = a.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
			wantStatus(t, err, tc.code, tc.reason, tc.want)
			_, err = a.v1.DeleteCollection.DeleteCollection(ctx, new(rest.Request), "ns", metav1.DeleteOptions{}, metav1.ListOptions{})
			wantStatus(t, err, tc.code, tc.reason, tc.want)
			_, _, err = a.status.Update.Update(ctx, new(rest.Request), named, parse(t, widget.GV1, `{"metadata":{"name":"w"},"status":{"phase":"Ready"}}`), metav1.UpdateOptions{})
			wantStatus(t, err, tc.code, tc.reason, tc.want)
			_, _, err = a.scale.Update.Update(ctx, new(rest.Request), named, aScale(5), metav1.UpdateOptions{})
			wantStatus(t, err, tc.code, tc.reason, tc.want)
			if a.Revision() != before {
				t.Error("something was written")
			}
		})
	}

	// Another type in the place of the object is a mistake of the plug-in.
	a := serveAdmitted(t)
	a.chain.Set([]admission.Plugin{{Name: "P", Mutate: func(_ context.Context, r *admission.Request) error {
		r.Object = new(widget.V1)
		return nil
	}}})
	_, err := a.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{})
	wantStatus(t, err, 500, "InternalError", "Internal error occurred: admission made a *widget.V1 of a *widget.Widget")
}

// TestFirstRefusalEndsIt: plug-ins are asked in their order, and those behind one that refuses are
// not.
func TestFirstRefusalEndsIt(t *testing.T) {
	a := serveAdmitted(t)
	var asked []string
	plugin := func(name string, err error) admission.Plugin {
		return admission.Plugin{Name: name, Mutate: func(context.Context, *admission.Request) error {
			asked = append(asked, name)
			return err
		}}
	}
	a.chain.Set([]admission.Plugin{plugin("one", nil), plugin("two", errors.New("no")), plugin("three", nil)})
	_, err := a.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{})
	wantStatus(t, err, 403, "Forbidden", `widgets.shop.example.com "w" is forbidden: no`)
	if want := []string{"one", "two"}; !slices.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
}
