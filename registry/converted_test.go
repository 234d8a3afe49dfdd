package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
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
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

var lossyColours, lossyPhases = []string{"red", "green", "blue"}, []string{"", "Ready", "Failed"}

// lossyToHub makes valid values of wrong ones: an unknown colour becomes blue, an unknown phase
// none, parts called "drop" are dropped, and there are at most 10 replicas.
func lossyToHub(in *widget.V1beta1, out *widget.Widget) error {
	if err := widget.V1beta1ToHub(in, out); err != nil {
		return err
	}
	if in.Spec.Colour == "dark" {
		out.Spec.Color = "black"
	} else if !slices.Contains(lossyColours, in.Spec.Colour) {
		out.Spec.Color = "blue"
	}
	if !slices.Contains(lossyPhases, in.Status.Phase) {
		out.Status.Phase = ""
	}
	out.Spec.Parts = slices.DeleteFunc(slices.Clone(in.Spec.Parts), func(p widget.Part) bool { return p.Name == "drop" })
	out.Spec.Replicas = min(in.Spec.Replicas, 10)
	return nil
}

// lossyFromHub has a word for black, which the rules forbid.
func lossyFromHub(in *widget.Widget, out *widget.V1beta1) error {
	err := widget.HubToV1beta1(in, out)
	if in.Spec.Color == "black" {
		out.Spec.Colour = "dark"
	}
	return err
}

// lossyRules leave alone what an update does not change, as rules that gen prints.
func lossyRules(_ context.Context, _ operation.Operation, _ *field.Path, obj, old *widget.V1beta1) (errs field.ErrorList) {
	if old == nil {
		old = new(widget.V1beta1)
	}
	spec, was := &obj.Spec, &old.Spec
	if spec.Colour != was.Colour && !slices.Contains(lossyColours, spec.Colour) {
		errs = append(errs, field.NotSupported(field.NewPath("spec", "colour"), spec.Colour, lossyColours))
	}
	if spec.Replicas != was.Replicas && spec.Replicas > 10 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "replicas"), spec.Replicas, "must be at most 10"))
	}
	if !slices.Equal(spec.Parts, was.Parts) {
		for i, part := range spec.Parts {
			if part.Name == "drop" {
				errs = append(errs, field.Invalid(field.NewPath("spec", "parts").Index(i).Child("name"), part.Name, "must be kept"))
			}
		}
	}
	if phase := obj.Status.Phase; phase != old.Status.Phase && !slices.Contains(lossyPhases, phase) {
		errs = append(errs, field.NotSupported(field.NewPath("status", "phase"), phase, lossyPhases))
	}
	return errs
}

// lossy is a server of widgets whose version v1beta1 has a conversion that loses values.
type lossy struct {
	*server
	status, scale, color rest.Resource // of v1beta1
}

func serveLossy(t testing.TB, stored schema.GroupVersion, s strategy, plugins ...admission.Plugin) *lossy {
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, widget.GroupKind, func() *widget.Widget { return new(widget.Widget) })
	runtime.AddVersion(hub, runtime.Version[*widget.V1, *widget.Widget]{
		GroupVersion: widget.GV1, New: func() *widget.V1 { return new(widget.V1) }, NewList: func() apiruntime.Object { return new(widget.V1List) },
		ToHub: widget.V1ToHub, FromHub: widget.HubToV1, CompareFields: widget.CompareFieldsV1,
	})
	runtime.AddVersion(hub, runtime.Version[*widget.V1beta1, *widget.Widget]{
		GroupVersion: widget.GV1beta1, New: func() *widget.V1beta1 { return new(widget.V1beta1) }, NewList: func() apiruntime.Object { return new(widget.V1beta1List) },
		Default: widget.DefaultV1beta1, ToHub: lossyToHub, FromHub: lossyFromHub, Validate: lossyRules, CompareFields: widget.CompareFieldsV1beta1,
		Scale:       func(in *widget.V1beta1) runtime.Scale { return runtime.Scale{Replicas: in.Spec.Replicas} },
		SetReplicas: func(in *widget.V1beta1, replicas int32) { in.Spec.Replicas = replicas },
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s.AllowCreateOnUpdate = true
	resource := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true, StorageVersion: stored, Versions: []schema.GroupVersion{widget.GV1, widget.GV1beta1},
		CopyStatus: widget.CopyStatus, Strategy: s,
		Subresources: []registry.Subresource[*widget.Widget]{registry.Part("color", func(_ context.Context, obj, sent *widget.Widget) error {
			obj.Spec.Color = sent.Spec.Color
			return nil
		})},
	})
	opts := registry.Options{Schemas: widgetSchemas(t), Admission: new(admission.Chain)}
	opts.Admission.Set(plugins)
	form, err := resource.Form(scheme, opts)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	served, err := resource.Serve(scheme, memory.New(memory.Config{Database: db, Root: "/registry", Form: form}), opts)
	if err != nil {
		t.Fatal(err)
	}
	out := &lossy{server: &server{Database: db, v1: served[0], beta: served[1]}}
	for _, r := range served {
		switch {
		case r.GroupVersion != widget.GV1beta1:
		case r.Subresource == "status":
			out.status = r
		case r.Subresource == "scale":
			out.scale = r
		case r.Subresource == "color":
			out.color = r
		}
	}
	return out
}

// lossyBody is a widget of v1beta1, with its JSON or, as after protobuf, without.
func lossyBody(t *testing.T, protobuf bool, text string) rest.Body {
	t.Helper()
	obj := parse(t, widget.GV1beta1, text)
	if protobuf {
		return obj
	}
	return rest.Document{Body: obj, JSON: []byte(text)}
}

// lossyWrites are the ways to write the spec of "w" as v1beta1. There is an object unless create.
var lossyWrites = []struct {
	name   string
	create bool
	write  func(t *testing.T, s *lossy, protobuf bool, spec string, dryRun []string) error
}{
	{"create", true, func(t *testing.T, s *lossy, protobuf bool, spec string, dryRun []string) error {
		_, err := s.beta.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, lossyBody(t, protobuf, `{"metadata":{"name":"w"},"spec":`+spec+`}`), metav1.CreateOptions{DryRun: dryRun})
		return err
	}},
	{"create with a generated name", true, func(t *testing.T, s *lossy, protobuf bool, spec string, dryRun []string) error {
		_, err := s.beta.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, lossyBody(t, protobuf, `{"metadata":{"generateName":"w"},"spec":`+spec+`}`), metav1.CreateOptions{DryRun: dryRun})
		return err
	}},
	{"create by update", true, updateLossy},
	{"update", false, updateLossy},
	{"create by apply", true, patchLossy(types.ApplyYAMLPatchType, `{"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"spec":%s}`)},
	{"apply", false, patchLossy(types.ApplyYAMLPatchType, `{"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"spec":%s}`)},
	{"merge patch", false, patchLossy(types.MergePatchType, `{"spec":%s}`)},
	{"strategic patch", false, patchLossy(types.StrategicMergePatchType, `{"spec":%s}`)},
	{"JSON patch", false, patchLossy(types.JSONPatchType, `[{"op":"add","path":"/spec","value":%s}]`)},
}

func updateLossy(t *testing.T, s *lossy, protobuf bool, spec string, dryRun []string) error {
	_, _, err := s.beta.Update.Update(ctx, new(rest.Request), named, lossyBody(t, protobuf, `{"metadata":{"name":"w"},"spec":`+spec+`}`), metav1.UpdateOptions{DryRun: dryRun})
	return err
}

func patchLossy(typ types.PatchType, text string) func(*testing.T, *lossy, bool, string, []string) error {
	return func(_ *testing.T, s *lossy, _ bool, spec string, dryRun []string) error {
		force := true
		opts := metav1.PatchOptions{DryRun: dryRun}
		if typ == types.ApplyYAMLPatchType {
			opts.Force, opts.FieldManager = &force, "me"
		}
		_, _, err := s.beta.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: typ, Bytes: fmt.Appendf(nil, text, spec)}, opts)
		return err
	}
}

const lossyStart = `{"metadata":{"name":"w"},"spec":{"color":"green","replicas":2}}`

// everyLossyWrite calls test for each way to write, encoding and stored version.
func everyLossyWrite(t *testing.T, test func(t *testing.T, serve func(s strategy, plugins ...admission.Plugin) *lossy, write func(s *lossy, spec string, dryRun ...string) error)) {
	for _, stored := range []schema.GroupVersion{widget.GV1, widget.GV1beta1} {
		for _, w := range lossyWrites {
			for encoding, protobuf := range map[string]bool{"JSON": false, "protobuf": true} {
				t.Run(strings.Join([]string{w.name, encoding, stored.Version}, "/"), func(t *testing.T) {
					serve := func(str strategy, plugins ...admission.Plugin) *lossy {
						s := serveLossy(t, stored, str, plugins...)
						s.t = t
						if !w.create {
							s.mustCreate(lossyStart)
						}
						return s
					}
					test(t, serve, func(s *lossy, spec string, dryRun ...string) error { return w.write(t, s, protobuf, spec, dryRun) })
				})
			}
		}
	}
}

// A value that the conversion replaces or drops is refused in every write, and nothing is stored.
func TestRulesSeeWhatAConversionReplaces(t *testing.T) {
	everyLossyWrite(t, func(t *testing.T, serve func(strategy, ...admission.Plugin) *lossy, write func(*lossy, string, ...string) error) {
		for spec, want := range map[string]string{
			`{"colour":"Urgent"}`: "spec.colour",
			`{"colour":"red","parts":[{"name":"a","count":1},{"name":"drop","count":1},{"name":"b","count":1}]}`: "spec.parts[1].name",
			`{"colour":"red","replicas":11}`:   "spec.replicas",
			`{"colour":"red","replicas":10}`:   "",
			`{"colour":"Red","replicas":5000}`: "spec.colour spec.replicas",
		} {
			for _, dryRun := range [][]string{nil, {metav1.DryRunAll}} {
				s := serve(strategy{})
				before := s.raw(named)
				wantFields(t, spec, write(s, spec, dryRun...), want)
				if want != "" && s.raw(named) != before {
					t.Errorf("%s is refused and stored", spec)
				}
			}
		}
	})
}

// viaJSON is a plug-in that changes the spec as a webhook does: in the JSON of the request's
// version.
func viaJSON(change func(spec map[string]any)) admission.Plugin {
	return admission.Plugin{Name: "W", Mutate: func(_ context.Context, r *admission.Request) error {
		version := r.Codec.Versions()[0]
		data, err := r.Codec.Encode(r.Object, version)
		if err != nil {
			return err
		}
		var obj map[string]any
		if err := json.Unmarshal(data, &obj); err != nil {
			return err
		}
		change(obj["spec"].(map[string]any))
		if data, err = json.Marshal(obj); err != nil {
			return err
		}
		r.Object, err = r.Codec.Decode(data, version)
		return err
	}}
}

// Admission and the strategy may correct what was sent. What they leave alone is validated as it
// was sent, and what they change as they change it.
func TestRulesSeeWhatAdmissionReplaces(t *testing.T) {
	inGo := func(change func(*widget.Widget)) admission.Plugin {
		return admission.Plugin{Name: "G", Mutate: func(_ context.Context, r *admission.Request) error {
			change(r.Object.(*widget.Widget))
			return nil
		}}
	}
	replicas := inGo(func(w *widget.Widget) { w.Spec.Replicas = 3 })
	red := inGo(func(w *widget.Widget) { w.Spec.Color = "red" })
	black := func(_ context.Context, w *widget.Widget) {
		if w.Spec.Color == "red" {
			w.Spec.Color = "black"
		}
	}
	webhook := func(name string, value any) admission.Plugin {
		return viaJSON(func(spec map[string]any) { spec[name] = value })
	}
	const wrong, right = `{"colour":"Urgent"}`, `{"colour":"green"}`
	for name, tc := range map[string]struct {
		sent     string
		strategy strategy
		plugins  []admission.Plugin
		want     string
	}{
		"a plug-in changes another field":      {sent: wrong, plugins: []admission.Plugin{replicas}, want: "spec.colour"},
		"a plug-in corrects the field":         {sent: wrong, plugins: []admission.Plugin{red}},
		"the strategy makes it wrong":          {sent: `{"colour":"red"}`, strategy: strategy{PrepareForCreate: black, PrepareForUpdate: func(ctx context.Context, w, _ *widget.Widget) { black(ctx, w) }}, want: "spec.colour"},
		"a webhook changes another field":      {sent: wrong, plugins: []admission.Plugin{webhook("replicas", 3)}, want: "spec.colour"},
		"a webhook corrects the field":         {sent: wrong, plugins: []admission.Plugin{webhook("colour", "red")}},
		"a webhook makes it wrong":             {sent: right, plugins: []admission.Plugin{webhook("colour", "Bogus")}, want: "spec.colour"},
		"a plug-in corrects a webhook":         {sent: right, plugins: []admission.Plugin{webhook("colour", "Bogus"), red}},
		"a webhook makes it wrong after a Go":  {sent: right, plugins: []admission.Plugin{red, webhook("colour", "Bogus")}, want: "spec.colour"},
		"a webhook changes another after that": {sent: right, plugins: []admission.Plugin{webhook("colour", "Bogus"), webhook("replicas", 3)}, want: "spec.colour"},
		"both are wrong":                       {sent: wrong, plugins: []admission.Plugin{webhook("replicas", 11)}, want: "spec.colour spec.replicas"},
	} {
		t.Run(name, func(t *testing.T) {
			everyLossyWrite(t, func(t *testing.T, serve func(strategy, ...admission.Plugin) *lossy, write func(*lossy, string, ...string) error) {
				active := false // the object that is there is created without admission
				plugins := slices.Clone(tc.plugins)
				for i := range plugins {
					mutate := plugins[i].Mutate
					plugins[i].Name = fmt.Sprint(plugins[i].Name, i)
					plugins[i].Mutate = func(ctx context.Context, r *admission.Request) error {
						if !active {
							return nil
						}
						return mutate(ctx, r)
					}
				}
				s := serve(tc.strategy, plugins...)
				active = true
				wantFields(t, tc.sent, write(s, tc.sent), tc.want)
			})
		})
	}
}

// An update does not validate again what it leaves alone: the old object is converted to the
// request's version.
func TestUnchangedConvertedValuesAreAccepted(t *testing.T) {
	for _, stored := range []schema.GroupVersion{widget.GV1, widget.GV1beta1} {
		for _, w := range lossyWrites {
			if w.create {
				continue
			}
			for _, protobuf := range []bool{false, true} {
				s := serveLossy(t, stored, strategy{})
				s.t = t
				s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"black","replicas":2}}`)
				name := fmt.Sprint(w.name, protobuf, stored.Version)
				wantFields(t, name, w.write(t, s, protobuf, `{"colour":"dark","replicas":3}`, nil), "")
				wantFields(t, name, w.write(t, s, protobuf, `{"colour":"Dark","replicas":3}`, nil), "spec.colour")
			}
		}
	}
}

// The status endpoint validates the status that was sent, and the main endpoint all but the status.
func TestRulesOfTheStatusSeeWhatAConversionReplaces(t *testing.T) {
	for _, stored := range []schema.GroupVersion{widget.GV1, widget.GV1beta1} {
		for _, protobuf := range []bool{false, true} {
			s := serveLossy(t, stored, strategy{})
			s.t = t
			s.mustCreate(lossyStart)
			put := func(r rest.Resource, members string) error {
				_, _, err := r.Update.Update(ctx, new(rest.Request), named, lossyBody(t, protobuf, `{"metadata":{"name":"w"},`+members+`}`), metav1.UpdateOptions{})
				return err
			}
			patch := func(r rest.Resource, text string) error {
				_, _, err := patchAs(r, types.MergePatchType, text, metav1.PatchOptions{})
				return err
			}
			apply := func(r rest.Resource, phase string) error {
				_, _, err := applyAs(r, "me", `{"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"status":{"phase":"`+phase+`"}}`, true)
				return err
			}
			wantFields(t, "put", put(s.status, `"spec":{"colour":"green"},"status":{"phase":"Reddy"}`), "status.phase")
			wantFields(t, "put", put(s.status, `"spec":{"colour":"Urgent"},"status":{"phase":"Reddy"}`), "status.phase")
			wantFields(t, "put", put(s.status, `"spec":{"colour":"Urgent"},"status":{"phase":"Ready"}`), "")
			wantFields(t, "put", put(s.beta, `"spec":{"colour":"green"},"status":{"phase":"Reddy"}`), "")
			wantFields(t, "put", put(s.beta, `"spec":{"colour":"Urgent"},"status":{"phase":"Reddy"}`), "spec.colour")
			wantFields(t, "patch", patch(s.status, `{"status":{"phase":"Reddy"}}`), "status.phase")
			wantFields(t, "patch", patch(s.status, `{"spec":{"colour":"Urgent"},"status":{"phase":"Failed"}}`), "")
			wantFields(t, "apply", apply(s.status, "Reddy"), "status.phase")
			wantFields(t, "apply", apply(s.status, "Ready"), "")
		}
	}
}

// A part of the author, and the scale, which write the object too.
func TestRulesOfSubresourcesSeeWhatAConversionReplaces(t *testing.T) {
	for _, stored := range []schema.GroupVersion{widget.GV1, widget.GV1beta1} {
		s := serveLossy(t, stored, strategy{})
		s.t = t
		s.mustCreate(lossyStart)
		for _, protobuf := range []bool{false, true} {
			for colour, want := range map[string]string{"Urgent": "spec.colour", "red": ""} {
				_, _, err := s.color.Update.Update(ctx, new(rest.Request), named, lossyBody(t, protobuf, `{"metadata":{"name":"w"},"spec":{"colour":"`+colour+`","replicas":2}}`), metav1.UpdateOptions{})
				wantFields(t, "part with "+colour, err, want)
			}
		}
		for replicas, want := range map[int32]string{11: "spec.replicas", 9: ""} {
			scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "w"}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
			_, _, err := s.scale.Update.Update(ctx, new(rest.Request), named, scale, metav1.UpdateOptions{})
			wantFields(t, "scale", err, want)
			_, _, err = patchAs(s.scale, types.MergePatchType, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas), metav1.PatchOptions{})
			wantFields(t, "patch of the scale", err, want)
			_, _, err = applyAs(s.scale, "me", fmt.Sprintf(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"},"spec":{"replicas":%d}}`, replicas), true)
			wantFields(t, "apply of the scale", err, want)
		}
	}
}

// Every attempt of an update validates what was sent.
func TestRulesOfALaterAttemptSeeWhatAConversionReplaces(t *testing.T) {
	for encoding, body := range map[string][]byte{"a body": []byte(`{"apiVersion":"shop.example.com/v1beta1","kind":"Widget","metadata":{"name":"w"},"spec":{"colour":"Urgent"}}`), "no body": nil} {
		attempts := 0
		var s *lossy
		s = serveLossy(t, widget.GV1, strategy{}, admission.Plugin{Name: "P", Mutate: func(_ context.Context, r *admission.Request) error {
			if r.Kind.Version != "v1beta1" {
				return nil
			}
			// The first attempt corrects the colour, and loses to another writer.
			if attempts++; attempts == 1 {
				r.Object.(*widget.Widget).Spec.Color = "red"
				_, _, err := patchAs(s.v1, types.MergePatchType, `{"metadata":{"labels":{"a":"b"}}}`, metav1.PatchOptions{})
				return err
			}
			return nil
		}})
		s.t = t
		s.mustCreate(lossyStart)
		req := &rest.Request{Sent: rest.Sent{Bytes: body, MediaType: rest.JSON}}
		_, _, err := s.beta.Update.Update(ctx, req, named, lossyBody(t, true, `{"metadata":{"name":"w"},"spec":{"colour":"Urgent"}}`), metav1.UpdateOptions{})
		wantFields(t, encoding, err, "spec.colour")
		if attempts != 2 {
			t.Errorf("%s: %d attempts", encoding, attempts)
		}
	}
}
