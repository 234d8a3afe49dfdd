package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

const (
	jsonType      = types.JSONPatchType
	mergeType     = types.MergePatchType
	strategicType = types.StrategicMergePatchType
)

// patchAs patches the object "w" through one version, with the warnings it gave.
func patchAs(r rest.Resource, kind types.PatchType, text string, opts metav1.PatchOptions) (rest.View, []string, error) {
	var warnings []string
	with := &rest.Request{Notes: rest.Notes{OnWarning: func(text string) { warnings = append(warnings, text) }}}
	view, _, err := r.Patch.Patch(ctx, with, named, rest.Patch{Type: kind, Bytes: []byte(text)}, opts)
	return view, warnings, err
}

func (s *server) mustPatch(kind types.PatchType, text string) *widget.V1 {
	s.t.Helper()
	view, _, err := patchAs(s.v1, kind, text, metav1.PatchOptions{})
	if err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	return read[*widget.V1](s.t, view)
}

func TestPatch(t *testing.T) {
	const start = `{"metadata":{"name":"w","labels":{"a":"b"}},"spec":{"color":"green","replicas":3,"parts":[{"name":"p","count":2},{"name":"q","count":3}],"options":{"x":"y"}}}`
	for name, tc := range map[string]struct {
		kind types.PatchType
		text string
		want string // color, replicas, parts, options, labels
	}{
		"json":                   {jsonType, `[{"op":"test","path":"/spec/color","value":"green"},{"op":"replace","path":"/spec/color","value":"blue"},{"op":"add","path":"/spec/parts/-","value":{"name":"r"}}]`, "blue 3 [{p 2} {q 3} {r 1}] map[x:y] map[a:b]"},
		"json, copy and move":    {jsonType, `[{"op":"copy","from":"/spec/color","path":"/spec/options/was"},{"op":"move","from":"/spec/options/x","path":"/metadata/labels/x"}]`, "green 3 [{p 2} {q 3}] map[was:green] map[a:b x:y]"},
		"json, escaped":          {jsonType, `[{"op":"add","path":"/metadata/labels/example.com~1a","value":"1"}]`, "green 3 [{p 2} {q 3}] map[x:y] map[a:b example.com/a:1]"},
		"json, nothing":          {jsonType, `[]`, "green 3 [{p 2} {q 3}] map[x:y] map[a:b]"},
		"merge":                  {mergeType, `{"metadata":{"labels":{"a":null,"c":"d"}},"spec":{"replicas":5}}`, "green 5 [{p 2} {q 3}] map[x:y] map[c:d]"},
		"merge replaces lists":   {mergeType, `{"spec":{"parts":[{"name":"r","count":9}]}}`, "green 3 [{r 9}] map[x:y] map[a:b]"},
		"what is gone: default":  {mergeType, `{"spec":{"color":null,"replicas":null}}`, "red 1 [{p 2} {q 3}] map[x:y] map[a:b]"},
		"strategic merges lists": {strategicType, `{"spec":{"parts":[{"name":"q","count":4},{"name":"r","count":1}]}}`, "green 3 [{p 2} {q 4} {r 1}] map[x:y] map[a:b]"},
		"strategic deletes":      {strategicType, `{"spec":{"parts":[{"name":"p","$patch":"delete"}],"options":{"x":null}}}`, "green 3 [{q 3}] map[] map[a:b]"},
		"strategic replaces":     {strategicType, `{"spec":{"parts":[{"name":"s","count":8},{"$patch":"replace"}]}}`, "green 3 [{s 8}] map[x:y] map[a:b]"},
		"strategic orders":       {strategicType, `{"spec":{"$setElementOrder/parts":[{"name":"q"},{"name":"p"}],"parts":[]}}`, "green 3 [{q 3} {p 2}] map[x:y] map[a:b]"},
		"of the same object":     {mergeType, `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"ns"}}`, "green 3 [{p 2} {q 3}] map[x:y] map[a:b]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, strategy{})
			s.mustCreate(start)
			got := s.mustPatch(tc.kind, tc.text)
			if text := fmt.Sprint(got.Spec.Color, " ", *got.Spec.Replicas, " ", got.Spec.Parts, " ", got.Spec.Options, " ", got.Labels); text != tc.want {
				t.Errorf("got  %s\nwant %s", text, tc.want)
			}
			if diff := cmp.Diff(s.mustGet(named), got); diff != "" {
				t.Errorf("the answer is not what is stored (-stored +answer)\n%s", diff)
			}
			before := s.Revision()
			if s.mustPatch(mergeType, `{"spec":{"color":"`+got.Spec.Color+`"}}`); s.Revision() != before {
				t.Error("a patch that changes nothing was written")
			}
		})
	}
}

// A patch is meant for the version that it was sent to.
func TestPatchInAnotherVersion(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	view, _, err := patchAs(s.beta, mergeType, `{"spec":{"colour":"yellow"}}`, metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := read[*widget.V1beta1](t, view); got.Spec.Colour != "yellow" || got.Generation != 2 {
		t.Errorf("as v1beta1: %+v", got)
	}
	if got := s.mustGet(named); got.Spec.Color != "yellow" {
		t.Errorf("as v1: %+v", got)
	}
}

func TestPatchTypesAreThoseThatMakeSense(t *testing.T) {
	s := serve(t, strategy{})
	if want := []types.PatchType{jsonType, mergeType, strategicType}; !slices.Equal(s.v1.PatchTypes, want) {
		t.Errorf("v1, which has a patchStrategy: %v", s.v1.PatchTypes)
	}
	if want := []types.PatchType{jsonType, mergeType, strategicType}; !slices.Equal(s.beta.PatchTypes, want) {
		t.Errorf("v1beta1, which has none: %v", s.beta.PatchTypes)
	}
}

// A version without a patchStrategy takes strategic merge patches, which replace its lists.
func TestStrategicPatchWithoutStrategy(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w","finalizers":["example.com/a"]},"spec":{"parts":[{"name":"p","count":2},{"name":"q","count":3}],"options":{"x":"y"}}}`)
	for _, tc := range []struct{ text, want string }{
		{`{"spec":{"parts":[{"name":"r","count":1}],"options":{"z":"1"}}}`, "[{r 1}] map[x:y z:1] [example.com/a]"},
		{`{"spec":{"options":{"x":null}},"metadata":{"finalizers":["example.com/b"]}}`, "[{r 1}] map[z:1] [example.com/b example.com/a]"},
		{`{"spec":{"options":{"z":"2","$patch":"replace"},"parts":null}}`, "[] map[z:2] [example.com/b example.com/a]"},
	} {
		view, _, err := patchAs(s.beta, strategicType, tc.text, metav1.PatchOptions{})
		if err != nil {
			t.Fatalf("%s: %v", tc.text, err)
		}
		got := read[*widget.V1beta1](t, view)
		if shown := fmt.Sprint(got.Spec.Parts, got.Spec.Options, got.Finalizers); shown != tc.want {
			t.Errorf("%s makes %s, want %s", tc.text, shown, tc.want)
		}
	}
}

// What a strategic merge patch says of the kind is overlooked, and null is one that says nothing.
func TestStrategicPatchKeepsTheKind(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	before := s.Revision()
	for _, text := range []string{`null`, " null\n", `{}`, `{"kind":"Other"}`, `{"apiVersion":"v9"}`, `{"kind":null,"apiVersion":7}`} {
		view, _, err := patchAs(s.v1, strategicType, text, metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := read[*widget.V1](t, view); got.Kind != "Widget" || got.Spec.Color != "green" || s.Revision() != before {
			t.Errorf("%s makes %+v", text, got)
		}
	}
	for _, text := range []string{`nul`, `nullx`, `7`, `"null"`, `[null]`} {
		if _, _, err := patchAs(s.v1, strategicType, text, metav1.PatchOptions{}); err == nil || status(t, err).Code != 400 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRefusedPatch(t *testing.T) {
	s := serve(t, strategy{ValidateUpdate: func(_ context.Context, w, _ *widget.Widget) field.ErrorList {
		if w.Spec.Replicas > 10 {
			return field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), w.Spec.Replicas, "too many")}
		}
		return nil
	}})
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green","parts":[{"name":"p"}]}}`)
	before := s.Revision()
	const invalid = `Widget.shop.example.com "w" is invalid: patch: Invalid value: `
	strict := metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}
	manyOps := "[" + strings.Repeat(`{"op":"test","path":"/kind","value":"Widget"},`, 10_000) + `{"op":"test","path":"/kind","value":"Widget"}]`
	growing := `[{"op":"add","path":"/spec/options","value":{"a":"` + strings.Repeat("x", 100_000) + `"}}` + strings.Repeat(`,{"op":"copy","from":"/spec/options/a","path":"/spec/options/b"}`, 32) + "]"
	parts := make([]string, 1001)
	for i := range parts {
		parts[i] = fmt.Sprintf(`{"name":"p%d"}`, i)
	}
	manyParts := `{"spec":{"parts":[` + strings.Join(parts, ",") + `]}}`
	for _, tc := range []struct {
		name    string
		kind    types.PatchType
		text    string
		opts    metav1.PatchOptions
		code    int32
		reason  metav1.StatusReason
		message string // a prefix
	}{
		{"json: not JSON", jsonType, `[{`, strict, 400, "BadRequest", "error decoding patch: "},
		{"json: no list", jsonType, `{"spec":{}}`, strict, 400, "BadRequest", "error decoding patch: "},
		{"json: no op", jsonType, `[{"path":"/spec"}]`, strict, 400, "BadRequest", `error decoding patch: operation 0: "" is not one of add`},
		{"json: null", jsonType, `[null]`, strict, 400, "BadRequest", `error decoding patch: operation 0: "" is not one of add`},
		{"json: no value", jsonType, `[{"op":"replace","path":""}]`, strict, 400, "BadRequest", `error decoding patch: operation 0: "replace" needs a value`},
		{"json: no from", jsonType, `[{"op":"copy","path":"/spec"}]`, strict, 400, "BadRequest", `error decoding patch: operation 0: "copy" needs a from`},
		{"json: no path", jsonType, `[{"op":"remove"}]`, strict, 400, "BadRequest", `error decoding patch: operation 0: "remove" needs a path`},
		{"json: too many", jsonType, manyOps, strict, 413, "RequestEntityTooLarge", "Request entity too large: the allowed maximum operations in a JSON patch is 10000, got 10001"},
		{"json: grows", jsonType, growing, strict, 413, "RequestEntityTooLarge", "Request entity too large: the copy operations of the patch make more than 3145728 bytes"},
		{"json: test", jsonType, `[{"op":"test","path":"/spec/color","value":"red"}]`, strict, 422, "Invalid", invalid + `"[{\"op\":\"test\",\"path\":\"/spec/color\",\"value\":\"red\"}]": testing value /spec/color failed`},
		{"json: missing path", jsonType, `[{"op":"remove","path":"/spec/nothing"}]`, strict, 422, "Invalid", invalid},
		{"json: null for all", jsonType, `[{"op":"replace","path":"","value":null}]`, strict, 422, "Invalid", invalid},
		{"json: a list for all", jsonType, `[{"op":"replace","path":"","value":[]}]`, strict, 422, "Invalid", invalid},
		{"json: strict", jsonType, `[{"op":"add","path":"/spec/colour","value":"x"}]`, strict, 422, "Invalid", invalid + `"[{\"op\":\"add\",\"path\":\"/spec/colour\",\"value\":\"x\"}]": strict decoding error: unknown field "spec.colour"`},
		{"json: strict operation", jsonType, `[{"op":"add","path":"/spec/color","value":"x","why":1}]`, strict, 422, "Invalid", invalid + `"[{\"op\":\"add\",\"path\":\"/spec/color\",\"value\":\"x\",\"why\":1}]": strict decoding error: json patch unknown field "[0].why"`},
		{"merge: not JSON", mergeType, `{"spec":`, strict, 400, "BadRequest", "error decoding patch: "},
		{"merge: null", mergeType, ` null`, strict, 400, "BadRequest", "error decoding patch: want a JSON object"},
		{"merge: a list", mergeType, `[]`, strict, 400, "BadRequest", "error decoding patch: want a JSON object"},
		{"merge: nothing", mergeType, ``, strict, 400, "BadRequest", "error decoding patch: want a JSON object"},
		{"merge: strict, twice", mergeType, `{"spec":{"color":"a","color":"b"}}`, strict, 422, "Invalid", invalid + `"{\"spec\":{\"color\":\"a\",\"color\":\"b\"}}": strict decoding error: duplicate field "spec.color"`},
		{"merge: wrong type", mergeType, `{"spec":{"replicas":"many"}}`, metav1.PatchOptions{FieldValidation: metav1.FieldValidationIgnore}, 422, "Invalid", invalid + `"{\"spec\":{\"replicas\":\"many\"}}": json: cannot unmarshal string into Go struct field V1Spec.spec.replicas of type int32`},
		{"merge: long", mergeType, `{"spec":{"replicas":"` + strings.Repeat("m", 1000) + `"}}`, strict, 422, "Invalid", invalid + `"{\"spec\":{\"replicas\":\"` + strings.Repeat("m", 235) + ` ...": `},
		{"merge: another kind", mergeType, `{"kind":"Gadget"}`, strict, 422, "Invalid", invalid},
		{"merge: another version", mergeType, `{"apiVersion":"shop.example.com/v1beta1"}`, strict, 422, "Invalid", invalid + `"{\"apiVersion\":\"shop.example.com/v1beta1\"}": it makes a shop.example.com/v1beta1, Kind=Widget of a shop.example.com/v1, Kind=Widget: leave kind and apiVersion as they are`},
		{"strategic: not JSON", strategicType, `{"spec":`, strict, 400, "BadRequest", "error decoding patch: "},
		{"strategic: no key", strategicType, `{"spec":{"parts":[{"count":1}]}}`, strict, 422, "Invalid", invalid + `"{\"spec\":{\"parts\":[{\"count\":1}]}}": map: map[count:1] does not contain declared merge key: name`},
		{"strategic: too many", strategicType, manyParts, strict, 413, "RequestEntityTooLarge", "Request entity too large: merging the lists of the patch takes more than 1000000 comparisons"},
		{"strategic: too many in order", strategicType, strings.Replace(manyParts, "parts", "$setElementOrder/parts", 1), strict, 413, "RequestEntityTooLarge", "Request entity too large: merging the lists"},
		{"strategic: no such directive", strategicType, `{"spec":{"$patch":"mend"}}`, strict, 422, "Invalid", invalid},
		{"strategic: wrong shape", strategicType, `{"spec":{"parts":{"name":"p"}}}`, strict, 422, "Invalid", invalid},
		{"strategic: bad directive", strategicType, `{"spec":{"$retainKeys":7}}`, strict, 400, "BadRequest", "error decoding patch: invalid patch format of retainKeys"},
		{"strategic: unknown map", strategicType, `{"spec":{"colour":{"a":1}}}`, strict, 422, "Invalid", invalid},
		{"strategic: strict", strategicType, `{"spec":{"colour":"x"}}`, strict, 422, "Invalid", invalid + `"{\"spec\":{\"colour\":\"x\"}}": strict decoding error: unknown field "spec.colour"`},
		{"name", mergeType, `{"metadata":{"name":"v"}}`, strict, 400, "BadRequest", "the name of the object (v) does not match the name on the URL (w)"},
		{"no name", mergeType, `{"metadata":{"name":null}}`, strict, 400, "BadRequest", "the name of the object () does not match the name on the URL (w)"},
		{"namespace", mergeType, `{"metadata":{"namespace":"other"}}`, strict, 400, "BadRequest", "the namespace of the provided object does not match the namespace sent on the request: "},
		{"uid", mergeType, `{"metadata":{"uid":"other"}}`, strict, 422, "Invalid", `Widget.shop.example.com "w" is invalid: metadata.uid: Invalid value: "other": field is immutable`},
		{"uid, strategic", strategicType, `{"metadata":{"uid":"other"}}`, strict, 422, "Invalid", `Widget.shop.example.com "w" is invalid: metadata.uid: Invalid value: "other": field is immutable`},
		{"uid, json", jsonType, `[{"op":"replace","path":"/metadata/uid","value":"other"}]`, strict, 422, "Invalid", `Widget.shop.example.com "w" is invalid: metadata.uid: Invalid value: "other": field is immutable`},
		{"resourceVersion", mergeType, `{"metadata":{"resourceVersion":"1"}}`, strict, 409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com "w": the object has been modified; please apply your changes to the latest version and try again`},
		{"what the strategy says", mergeType, `{"spec":{"replicas":11}}`, strict, 422, "Invalid", `Widget.shop.example.com "w" is invalid: spec.replicas: Invalid value: 11: too many`},
		{"a type that is none", "application/x", `{}`, strict, 400, "BadRequest", "application/x is not a type of patch that widgets.shop.example.com take"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := patchAs(s.v1, tc.kind, tc.text, tc.opts)
			if err == nil {
				t.Fatal("no error")
			}
			message := status(t, err).Message
			if strings.HasPrefix(message, tc.message) {
				tc.message = message
			}
			wantStatus(t, err, tc.code, tc.reason, tc.message)
			if s.Revision() != before {
				t.Error("something was written")
			}
		})
	}
}

func TestPatchWarns(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	const patch = `{"spec":{"colour":"x","color":"a","color":"b"}}`
	for directive, want := range map[string][]string{
		"":                           {`duplicate field "spec.color"`, `unknown field "spec.colour"`},
		metav1.FieldValidationWarn:   {`duplicate field "spec.color"`, `unknown field "spec.colour"`},
		metav1.FieldValidationIgnore: nil,
	} {
		for _, kind := range []types.PatchType{mergeType, strategicType} {
			view, got, err := patchAs(s.v1, kind, patch, metav1.PatchOptions{FieldValidation: directive})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || read[*widget.V1](t, view).Spec.Color != "b" {
				t.Errorf("%q, %s: %q", directive, kind, got)
			}
		}
	}
}

func TestPatchOfNothing(t *testing.T) {
	s := serve(t, strategy{AllowCreateOnUpdate: true})
	_, _, err := patchAs(s.v1, mergeType, `{"spec":{}}`, metav1.PatchOptions{})
	wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)
}

func TestPatchDryRun(t *testing.T) {
	s := serve(t, strategy{})
	created := s.mustCreate(`{"metadata":{"name":"w"}}`)
	before := s.Revision()
	view, _, err := patchAs(s.v1, mergeType, `{"spec":{"color":"green"}}`, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatal(err)
	}
	got := read[*widget.V1](t, view)
	if got.Spec.Color != "green" || got.Generation != 2 || got.ResourceVersion != created.ResourceVersion || s.Revision() != before {
		t.Errorf("%+v, revision %d after %d", got, s.Revision(), before)
	}
}

// A patch is applied to what the other writer left, unless it names a resourceVersion.
func TestPatchAgainAfterAnotherWriter(t *testing.T) {
	for _, kind := range []types.PatchType{jsonType, mergeType, strategicType} {
		t.Run(string(kind), func(t *testing.T) {
			var s *server
			times := 0
			s = serveThrough(t, strategy{}, func(store storage.Interface) storage.Interface {
				return interrupt{store, func() {
					if times++; times <= 2 {
						other := s.mustGet(named)
						other.Spec.Parts = append(other.Spec.Parts, widget.Part{Name: fmt.Sprint("by ", times), Count: 1})
						s.Put("/registry/shop.example.com/widgets/ns/w", encodeV1(t, other))
					}
				}}
			})
			created := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"parts":[{"name":"p"}]}}`)
			text := `{"spec":{"color":"green"}}`
			if kind == jsonType {
				text = `[{"op":"add","path":"/spec/color","value":"green"}]`
			}
			if got := s.mustPatch(kind, text); times != 3 || got.Spec.Color != "green" || len(got.Spec.Parts) != 3 {
				t.Errorf("after %d attempts: %+v", times, got.Spec)
			}
			text = `{"metadata":{"resourceVersion":"` + created.ResourceVersion + `"},"spec":{"color":"blue"}}`
			if _, _, err := patchAs(s.v1, mergeType, text, metav1.PatchOptions{}); status(t, err).Code != 409 {
				t.Errorf("with a resourceVersion: %v", err)
			}
		})
	}
}

// The last finalizer may go with a patch, and the object with it.
func TestPatchFinishesADeletion(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w","finalizers":["example.com/f"]}}`)
	s.mustDelete()
	if got := s.mustPatch(mergeType, `{"metadata":{"deletionTimestamp":null,"finalizers":null}}`); got.DeletionTimestamp == nil {
		t.Errorf("%+v", got)
	}
	if raw := s.raw(named); raw != "" {
		t.Errorf("still there: %q", raw)
	}
}

// Whatever a client sends as a patch, it gets an object or a status, and what is stored can be
// read.
func FuzzPatch(f *testing.F) {
	for _, text := range []string{
		`[{"op":"test","path":"/spec/color","value":null},{"op":"move","from":"/spec","path":"/status"}]`,
		`[{"op":"copy","from":"","path":"/spec/options/x"},{"op":"add","path":"/spec/parts/-1","value":{}}]`,
		`[{"op":"replace","path":"","value":{"metadata":{"name":"w"}}},{"op":"remove","path":"/metadata/labels"}]`,
		`{"metadata":{"managedFields":[{"manager":"m","operation":"Apply","fieldsV1":{"f:spec":7}}],"labels":{"a":"b"}}}`,
		`{"spec":{"parts":[{"name":"p","$patch":"delete"},{"name":"q","count":2}],"$setElementOrder/parts":[{"name":"q"}],"$retainKeys":["parts"]}}`,
		`{"spec":{"$patch":"replace","color":"x"},"$deleteFromPrimitiveList/finalizers":["a"]}`,
		`{"apiVersion":"shop.example.com/v1","kind":"Widget","spec":{"parts":[{"name":"p"}],"options":{"a":null}}}`,
		"apiVersion: shop.example.com/v1\nkind: Widget\nspec: {parts: [&a {name: p}, *a]}",
	} {
		for i := range 4 {
			f.Add(uint8(i), text)
		}
	}
	schemas := widgetSchemas(f)
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		s := serveWith(t, strategy{}, registry.Options{Schemas: schemas}, nil)
		s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green","parts":[{"name":"p","count":2}],"options":{"a":"b"}}}`)
		types := []types.PatchType{jsonType, mergeType, strategicType, applyType}
		for range 2 {
			view, _, err := patchAs(s.v1, types[kind%4], text, metav1.PatchOptions{FieldManager: "me"})
			if err != nil {
				if code := status(t, err).Code; code < 400 || code >= 500 {
					t.Fatalf("%d: %v", code, err)
				}
				continue
			}
			if diff := cmp.Diff(s.mustGet(named), read[*widget.V1](t, view)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
