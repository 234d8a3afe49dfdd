package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

const applyType = types.ApplyYAMLPatchType

// applyAs applies to the object "w" through one version.
func applyAs(r rest.Resource, manager, text string, force bool) (rest.View, bool, error) {
	return r.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: applyType, Bytes: []byte(text)}, metav1.PatchOptions{FieldManager: manager, Force: &force})
}

func (s *server) mustApply(manager, spec string) *widget.V1 {
	s.t.Helper()
	view, _, err := applyAs(s.v1, manager, `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":`+spec+`}`, false)
	if err != nil {
		s.t.Fatalf("%s applies %s: %v", manager, spec, err)
	}
	return read[*widget.V1](s.t, view)
}

func TestApply(t *testing.T) {
	s := serveOwned(t, strategy{})
	view, created, err := applyAs(s.v1, "one", "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  color: green\n  parts:\n  - {name: p, count: 2}\n", false)
	if err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	first := read[*widget.V1](t, view)
	if first.UID == "" || first.Generation != 1 || *first.Spec.Replicas != 1 {
		t.Errorf("%+v", first)
	}
	byOne := `one Apply shop.example.com/v1 {"f:spec":{"f:color":{},"f:parts":{"k:{\"name\":\"p\"}":{".":{},"f:count":{},"f:name":{}}}}}`
	wantOwners(t, first, byOne)

	// The same again, in another second, changes nothing.
	before := s.Revision()
	time.Sleep(time.Until(first.ManagedFields[0].Time.Add(1100 * time.Millisecond)))
	if again := s.mustApply("one", `{"color":"green","parts":[{"name":"p","count":2}]}`); again.ResourceVersion != first.ResourceVersion || s.Revision() != before {
		t.Errorf("a no-op wrote: %+v", again)
	}
	if again := s.mustPatch(mergeType, `{"spec":{"color":"green"}}`); again.ResourceVersion != first.ResourceVersion || s.Revision() != before {
		t.Errorf("a no-op wrote: %+v", again)
	}

	// Somebody else adds to the list and agrees about the color.
	second := s.mustApply("two", `{"color":"green","parts":[{"name":"q","count":3}]}`)
	if fmt.Sprint(second.Spec.Parts) != "[{p 2} {q 3}]" || second.Generation != 2 {
		t.Errorf("%+v", second)
	}
	byTwo := `two Apply shop.example.com/v1 {"f:spec":{"f:color":{},"f:parts":{"k:{\"name\":\"q\"}":{".":{},"f:count":{},"f:name":{}}}}}`
	wantOwners(t, second, byOne, byTwo)

	// What its last owner does not apply any more is gone, what another one has stays.
	third := s.mustApply("one", `{"replicas":4}`)
	if fmt.Sprint(third.Spec.Parts) != "[{q 3}]" || third.Spec.Color != "green" || *third.Spec.Replicas != 4 {
		t.Errorf("%+v", third.Spec)
	}

	// A conflict names who and what; with force it is won.
	text := `{"apiVersion":"shop.example.com/v1","kind":"Widget","spec":{"color":"blue"}}`
	before = s.Revision()
	_, _, err = applyAs(s.v1, "three", text, false)
	wantStatus(t, err, 409, "Conflict", `Apply failed with 1 conflict: conflict with "two": .spec.color`)
	causes := status(t, err).Details.Causes
	if want := (metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "two"`, Field: ".spec.color"}); len(causes) != 1 || causes[0] != want || s.Revision() != before {
		t.Errorf("%+v", causes)
	}
	if view, _, err = applyAs(s.v1, "three", text, true); err != nil {
		t.Fatal(err)
	}
	fourth := read[*widget.V1](t, view)
	byTwo = strings.Replace(byTwo, `"f:color":{},`, "", 1)
	wantOwners(t, fourth,
		`one Apply shop.example.com/v1 {"f:spec":{"f:replicas":{}}}`,
		`three Apply shop.example.com/v1 {"f:spec":{"f:color":{}}}`, byTwo)

	// Dry run.
	before = s.Revision()
	view, _, err = s.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: applyType, Bytes: []byte(text)}, metav1.PatchOptions{FieldManager: "four", DryRun: []string{metav1.DryRunAll}})
	if err != nil || len(read[*widget.V1](t, view).ManagedFields) != 4 || s.Revision() != before {
		t.Errorf("dry run: %v", err)
	}
}

// A conflict is found whatever the versions are, and so is what nobody applies any more.
func TestApplyInAnotherVersion(t *testing.T) {
	s := serveOwned(t, strategy{})
	s.mustApply("one", `{"color":"green","options":{"x":"y"}}`)
	beta := func(spec string, manager string) error {
		_, _, err := applyAs(s.beta, manager, `{"apiVersion":"shop.example.com/v1beta1","kind":"Widget","spec":`+spec+`}`, false)
		return err
	}
	wantStatus(t, beta(`{"colour":"blue"}`, "two"), 409, "Conflict", `Apply failed with 1 conflict: conflict with "one": .spec.color`)
	if err := beta(`{"replicas":7}`, "two"); err != nil {
		t.Fatal(err)
	}
	if err := beta(`{"colour":"black"}`, "one"); err != nil {
		t.Fatal(err)
	}
	// Whoever goes over to another version takes along what was applied in the first: the options
	// are gone.
	got := s.mustGet(named)
	if got.Spec.Color != "black" || *got.Spec.Replicas != 7 || got.Spec.Options != nil {
		t.Errorf("%+v", got.Spec)
	}
	wantOwners(t, got,
		`one Apply shop.example.com/v1beta1 {"f:spec":{"f:colour":{}}}`,
		`two Apply shop.example.com/v1beta1 {"f:spec":{"f:replicas":{}}}`)
}

func TestRefusedApply(t *testing.T) {
	s := serveOwned(t, strategy{})
	s.mustApply("one", `{"color":"green"}`)
	before := s.Revision()
	const head = `"apiVersion":"shop.example.com/v1","kind":"Widget"`
	for _, tc := range []struct {
		name    string
		object  string
		text    string
		code    int32
		reason  metav1.StatusReason
		message string
	}{
		{"no kind", "w", `{"apiVersion":"shop.example.com/v1"}`, 400, "BadRequest", "error decoding patch: it says that it is a shop.example.com/v1, Kind=; want apiVersion shop.example.com/v1 and kind Widget"},
		{"another version", "w", `{"apiVersion":"shop.example.com/v1beta1","kind":"Widget"}`, 400, "BadRequest", "error decoding patch: it says that it is a shop.example.com/v1beta1, Kind=Widget; want apiVersion shop.example.com/v1 and kind Widget"},
		{"no object", "w", `[]`, 400, "BadRequest", "error decoding patch: want a JSON object"},
		{"nothing", "w", ``, 400, "BadRequest", "error decoding patch: want a JSON object"},
		{"bad YAML", "w", "a: b: c", 400, "BadRequest", "error decoding patch: yaml: mapping values are not allowed in this context"},
		{"twice", "w", `{` + head + `,"spec":{"color":"green","color":"green"}}`, 400, "BadRequest", `error strict decoding patch: duplicate field "spec.color"`},
		{"owners", "w", `{` + head + `,"metadata":{"managedFields":[]}}`, 400, "BadRequest", "metadata.managedFields must be nil: an apply patch can't say who owns what"},
		{"unknown field", "w", `{` + head + `,"spec":{"colour":"x"}}`, 400, "BadRequest", "error decoding patch: .spec.colour: field not declared in schema"},
		{"wrong type", "w", `{` + head + `,"spec":{"replicas":"many"}}`, 400, "BadRequest", "error decoding patch: json: cannot unmarshal string into Go struct field V1Spec.spec.replicas of type int32"},
		{"item twice", "w", `{` + head + `,"spec":{"parts":[{"name":"p"},{"name":"p"}]}}`, 400, "BadRequest", `error decoding patch: .spec.parts: duplicate entries for key [name="p"]`},
		{"another name", "w", `{` + head + `,"metadata":{"name":"v"}}`, 400, "BadRequest", "the name of the object (v) does not match the name on the URL (w)"},
		{"another namespace", "w", `{` + head + `,"metadata":{"namespace":"x"}}`, 400, "BadRequest", `the namespace of the provided object does not match the namespace sent on the request: metadata.namespace is "x", the URL says "ns"`},
		{"another uid", "w", `{` + head + `,"metadata":{"uid":"x"}}`, 422, "Invalid", `Widget.shop.example.com "w" is invalid: metadata.uid: Invalid value: "x": field is immutable`},
		{"an old version", "w", `{` + head + `,"metadata":{"resourceVersion":"1"}}`, 409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com "w": the object has been modified; please apply your changes to the latest version and try again`},
		{"one that is gone", "gone", `{` + head + `,"metadata":{"uid":"x"}}`, 409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com "gone": the object was deleted in the meantime`},
		{"new, bad name", "Bad", `{` + head + `}`, 422, "Invalid", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := s.v1.Patch.Patch(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: tc.object}, rest.Patch{Type: applyType, Bytes: []byte(tc.text)},
				metav1.PatchOptions{FieldManager: "two", FieldValidation: metav1.FieldValidationStrict})
			if tc.message == "" && err != nil {
				tc.message = status(t, err).Message
			}
			wantStatus(t, err, tc.code, tc.reason, tc.message)
			if s.Revision() != before {
				t.Error("something was written")
			}
		})
	}
	// Who may not create does not.
	denied := apierrors.NewForbidden(schema.GroupResource{Resource: "widgets"}, "new", errors.New("no"))
	_, _, err := s.v1.Patch.Patch(ctx, &rest.Request{CreateDenied: denied}, rest.Name{Namespace: "ns", Name: "new"}, rest.Patch{Type: applyType, Bytes: []byte(`{` + head + `}`)}, metav1.PatchOptions{FieldManager: "two"})
	wantStatus(t, err, 403, "Forbidden", denied.ErrStatus.Message)
}

func TestApplyAgainAfterAnotherWriter(t *testing.T) {
	var s *server
	times := 0
	s = serveWith(t, strategy{}, registry.Options{Schemas: widgetSchemas(t)}, func(store storage.Interface) storage.Interface {
		return interrupt{store, func() {
			if times++; times <= 2 {
				other := s.mustGet(named)
				other.Spec.Parts = append(other.Spec.Parts, widget.Part{Name: fmt.Sprint("by ", times), Count: 1})
				s.Put("/registry/shop.example.com/widgets/ns/w", encodeV1(t, other))
			}
		}}
	})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	if got := s.mustApply("one", `{"parts":[{"name":"mine"}]}`); times != 3 || len(got.Spec.Parts) != 3 {
		t.Errorf("after %d attempts: %+v", times, got.Spec)
	}
}

// An apply patch is YAML, in which a number may be written like a float and be an integer. Whether
// it is JSON as well makes no difference.
func TestApplyOfNumbersLikeFloats(t *testing.T) {
	s := serveOwned(t, strategy{})
	const head = `{"apiVersion":"shop.example.com/v1","kind":"Widget","spec":`
	for _, text := range []string{head + " {replicas: 3.0}}", head + `{"replicas":3.0}}`, head + `{"replicas":3e0}}`, head + `{"replicas":0.3e1}}`} {
		view, _, err := applyAs(s.v1, "one", text, false)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := read[*widget.V1](t, view); *got.Spec.Replicas != 3 || got.Generation != 1 {
			t.Errorf("%s: %+v", text, got)
		}
	}
	_, _, err := applyAs(s.v1, "one", head+`{"replicas":3.5}}`, false)
	wantStatus(t, err, 400, "BadRequest", "error decoding patch: json: cannot unmarshal number 3.5 into Go struct field V1Spec.spec.replicas of type int32")
}

// A manifest that was exported with its resourceVersion makes the object again.
func TestApplyCreatesWhatHasAVersion(t *testing.T) {
	s := serveOwned(t, strategy{})
	view, created, err := applyAs(s.v1, "one", `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"5"},"spec":{"color":"green"}}`, false)
	if err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	if got := read[*widget.V1](t, view); got.ResourceVersion == "5" || got.Spec.Color != "green" {
		t.Errorf("%+v", got)
	}
}

// Owner references that say something twice. In an apply patch nobody could own them, so that is no
// patch. A stored object may have some from before such were dropped. They go with the next apply,
// which says so.
func TestOwnersTwiceByApply(t *testing.T) {
	const head = `"apiVersion":"shop.example.com/v1","kind":"Widget"`
	const ref = `{"apiVersion":"v1","kind":"Shelf","name":"s","uid":"a"}`
	var warnings []string
	req := &rest.Request{Notes: rest.Notes{OnWarning: func(text string) { warnings = append(warnings, text) }}}
	apply := func(s *server, text string) (rest.View, bool, error) {
		warnings = nil
		return s.v1.Patch.Patch(ctx, req, named, rest.Patch{Type: applyType, Bytes: []byte(text)}, metav1.PatchOptions{FieldManager: "one"})
	}
	twice := `{` + head + `,"metadata":{"name":"w","ownerReferences":[` + ref + `,` + ref + `]}}`
	for name, there := range map[string]bool{"a new object": false, "an object": true} {
		s := serveOwned(t, strategy{})
		if there {
			s.mustApply("two", `{"color":"green"}`)
		}
		before := s.Revision()
		_, _, err := apply(s, twice)
		if got := status(t, err); got.Code != 400 || !strings.Contains(got.Message, `.metadata.ownerReferences: duplicate entries for key [uid="a"]`) {
			t.Errorf("%s: %+v", name, got)
		}
		if s.Revision() != before {
			t.Errorf("%s: it was written", name)
		}
	}

	s := serveOwned(t, strategy{})
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Shelf", Name: "s", UID: "a"}
	s.Put("/registry/shop.example.com/widgets/ns/w", encodeV1(t, &widget.V1{ObjectMeta: metav1.ObjectMeta{
		Name: "w", Namespace: "ns", UID: "u", OwnerReferences: []metav1.OwnerReference{owner, owner},
	}}))
	view, _, err := apply(s, `{`+head+`,"metadata":{"name":"w","labels":{"a":"b"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := read[*widget.V1](t, view).OwnerReferences; len(got) != 1 || got[0] != owner {
		t.Errorf("kept %+v", got)
	}
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], ".metadata.ownerReferences contains duplicate entries") || !strings.HasSuffix(warnings[0], ": a") {
		t.Errorf("warnings %q", warnings)
	}
	// Who names the owner owns it, and it is still there once.
	view, _, err = apply(s, `{`+head+`,"metadata":{"name":"w","labels":{"a":"b"},"ownerReferences":[`+ref+`]}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := read[*widget.V1](t, view).OwnerReferences; len(got) != 1 || len(warnings) != 0 {
		t.Errorf("kept %+v, warnings %q", got, warnings)
	}
}
