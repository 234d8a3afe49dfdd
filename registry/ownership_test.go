package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

func widgetSchemas(t testing.TB) *ownership.Schemas {
	t.Helper()
	return ownership.New(widget.OpenAPI())
}

// serveOwned serves widgets whose fields have owners.
func serveOwned(t *testing.T, s strategy) *server {
	t.Helper()
	return serveWith(t, s, registry.Options{Schemas: widgetSchemas(t)}, nil)
}

// owners are the entries of managedFields without their times, one in a line.
func owners(w *widget.V1) string {
	var lines []string
	for _, e := range w.ManagedFields {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", e.Manager, e.Operation, e.APIVersion, e.FieldsV1.GetRawString()))
	}
	return strings.Join(lines, "\n")
}

func wantOwners(t *testing.T, w *widget.V1, want ...string) {
	t.Helper()
	if got := owners(w); got != strings.Join(want, "\n") {
		t.Errorf("owners\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestEveryWriteHasAnOwner(t *testing.T) {
	s := serveOwned(t, strategy{})
	view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w","labels":{"a":"b"}},"spec":{"color":"green"}}`), metav1.CreateOptions{FieldManager: "creator"})
	if err != nil {
		t.Fatal(err)
	}
	created := read[*widget.V1](t, view)
	byCreator := `creator Update shop.example.com/v1 {"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:color":{},"f:replicas":{}}}`
	wantOwners(t, created, byCreator)
	if age := time.Since(created.ManagedFields[0].Time.Time); age < 0 || age > time.Minute {
		t.Errorf("%s old", age)
	}

	// What an update changes goes over to whoever makes it.
	obj := s.mustGet(named)
	obj.Spec.Color, obj.Spec.Options = "blue", map[string]string{"x": "y"}
	view, _, err = s.v1.Update.Update(ctx, new(rest.Request), named, obj, metav1.UpdateOptions{FieldManager: "updater"})
	if err != nil {
		t.Fatal(err)
	}
	byCreator = `creator Update shop.example.com/v1 {"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:replicas":{}}}`
	byUpdater := `updater Update shop.example.com/v1 {"f:spec":{"f:color":{},"f:options":{".":{},"f:x":{}}}}`
	wantOwners(t, read[*widget.V1](t, view), byCreator, byUpdater)

	// A client that knows nothing of managedFields does not take them away.
	obj = s.mustGet(named)
	obj.ManagedFields = nil
	if view, _, err = s.v1.Update.Update(ctx, new(rest.Request), named, obj, metav1.UpdateOptions{FieldManager: "updater"}); err != nil {
		t.Fatal(err)
	}
	wantOwners(t, read[*widget.V1](t, view), byCreator, byUpdater)

	// A patch through another version is by that version's names.
	if _, _, err = patchAs(s.beta, mergeType, `{"spec":{"colour":"pink"}}`, metav1.PatchOptions{FieldManager: "patcher"}); err != nil {
		t.Fatal(err)
	}
	byUpdater = `updater Update shop.example.com/v1 {"f:spec":{"f:options":{".":{},"f:x":{}}}}`
	byPatcher := `patcher Update shop.example.com/v1beta1 {"f:spec":{"f:colour":{}}}`
	wantOwners(t, s.mustGet(named), byCreator, byPatcher, byUpdater)

	// And who has removed a field does not own it.
	s.mustPatch(mergeType, `{"spec":{"options":null}}`)
	wantOwners(t, s.mustGet(named), byCreator, byPatcher)

	// A client may start anew.
	for _, reset := range []string{`[]`, `[{}]`} {
		if got := s.mustPatch(mergeType, `{"metadata":{"managedFields":`+reset+`}}`); len(got.ManagedFields) != 0 {
			t.Errorf("after %s: %s", reset, owners(got))
		}
	}
}

// A version without a schema has no owners and no apply patches, and leaves those of others alone.
// Times of owners alone are no change; with anything else they are written.
func TestTimesOfOwnersAreNoChange(t *testing.T) {
	s := serveOwned(t, strategy{})
	if _, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"color":"green"}}`), metav1.CreateOptions{FieldManager: "creator"}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		change  func(*widget.V1)
		written bool
	}{
		{"nothing else", func(*widget.V1) {}, false},
		{"a label", func(w *widget.V1) { w.Labels = map[string]string{"a": "b"} }, true},
		{"the spec", func(w *widget.V1) { w.Spec.Color = "blue" }, true},
	} {
		obj, before := s.mustGet(named), s.Revision()
		for i := range obj.ManagedFields {
			obj.ManagedFields[i].Time = &metav1.Time{Time: time.Unix(1_700_000_000, 0)}
		}
		test.change(obj)
		if _, _, err := s.v1.Update.Update(ctx, new(rest.Request), named, obj, metav1.UpdateOptions{FieldManager: "another"}); err != nil {
			t.Fatal(err)
		}
		if written := s.Revision() != before; written != test.written {
			t.Errorf("%s: written is %t", test.name, written)
		}
	}
}

func TestNoSchemaNoOwners(t *testing.T) {
	s := serveOwned(t, strategy{})
	if !slices.Contains(s.v1.PatchTypes, applyType) || !slices.Contains(s.beta.PatchTypes, applyType) || slices.Contains(s.old.PatchTypes, applyType) {
		t.Errorf("%v, %v, %v", s.v1.PatchTypes, s.beta.PatchTypes, s.old.PatchTypes)
	}
	want := owners(s.mustApply("one", `{"color":"green","options":{"x":"y"}}`))
	if _, _, err := patchAs(s.old, mergeType, `{"paint":"blue","metadata":{"managedFields":[]}}`, metav1.PatchOptions{FieldManager: "two"}); err != nil {
		t.Fatal(err)
	}
	if got := s.mustGet(named); got.Spec.Color != "blue" || owners(got) != want {
		t.Errorf("%s: %s", got.Spec.Color, owners(got))
	}
	if _, _, err := patchAs(s.old, applyType, `{}`, metav1.PatchOptions{FieldManager: "two"}); status(t, err).Code != 400 {
		t.Error(err)
	}
}

// A tracker that fails does not fail the write.
func TestOwnersThatCannotBeFound(t *testing.T) {
	s := serveOwned(t, strategy{})
	want := owners(s.mustApply("one", `{"color":"green"}`))
	view, warnings, err := patchAs(s.v1, mergeType, `{"spec":{"options":{"panic":"y"}}}`, metav1.PatchOptions{FieldManager: "two"})
	if err != nil {
		t.Fatal(err)
	}
	got := read[*widget.V1](t, view)
	if owners(got) != want || got.Spec.Options["panic"] != "y" || len(warnings) != 1 || !strings.HasPrefix(warnings[0], "metadata.managedFields was left as it was: ") {
		t.Errorf("%q\n%s\nwant\n%s", warnings, owners(got), want)
	}
	var warned []string
	with := &rest.Request{Notes: rest.Notes{OnWarning: func(text string) { warned = append(warned, text) }}}
	view, err = s.v1.Create.Create(ctx, with, rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"v"},"spec":{"options":{"panic":"y"}}}`), metav1.CreateOptions{FieldManager: "two"})
	if err != nil || read[*widget.V1](t, view).ManagedFields != nil || len(warned) != 1 || !strings.HasPrefix(warned[0], "nobody is in metadata.managedFields: ") {
		t.Errorf("%v, %q", err, warned)
	}
}

// small is a store for small objects.
type small struct{ storage.Interface }

func (small) fits(value []byte) error {
	if len(value) > 1000 {
		return &storage.Error{Code: storage.CodeTooLarge}
	}
	return nil
}

func (s small) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	if err := s.fits(value); err != nil {
		return storage.Entry{}, err
	}
	return s.Interface.Create(ctx, key, value, with...)
}

func (s small) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return s.Interface.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
		value, with, err := try(current)
		if err == nil {
			err = s.fits(value)
		}
		return value, with, err
	})
}

// An object that is too large with its owners is stored without.
func TestTooLargeForOwners(t *testing.T) {
	s := serveWith(t, strategy{}, registry.Options{Schemas: widgetSchemas(t)}, func(store storage.Interface) storage.Interface { return small{store} })
	option := func(length int) string { return `{"` + strings.Repeat("x", length) + `":""}` }
	object := func(length int) string { return `{"metadata":{"name":"w"},"spec":{"options":` + option(length) + `}}` }
	create := func(length int) (rest.View, error) {
		return s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, object(length)), metav1.CreateOptions{FieldManager: "me"})
	}
	want413 := func(what string, err error) {
		if err == nil || status(t, err).Code != 413 {
			t.Errorf("%s: %v", what, err)
		}
	}
	wantUnowned := func(what string, w *widget.V1) {
		if len(w.Spec.Options) != 1 || w.ManagedFields != nil {
			t.Errorf("%s: %+v", what, w)
		}
	}

	_, err := create(1000)
	want413("create", err)
	if _, err := create(600); err != nil {
		t.Fatal(err)
	}
	wantUnowned("create", s.mustGet(named))
	s.mustDelete()

	s.mustApply("one", `{"color":"green"}`)
	_, err = s.update(parse(t, widget.GV1, object(1000)))
	want413("update", err)
	got, err := s.update(parse(t, widget.GV1, object(600)))
	if err != nil {
		t.Fatal(err)
	}
	wantUnowned("update", got)
	s.mustDelete()

	s.mustApply("one", `{"color":"green"}`)
	_, _, err = patchAs(s.v1, mergeType, `{"spec":{"options":`+option(1000)+`}}`, metav1.PatchOptions{})
	want413("patch", err)
	wantUnowned("patch", s.mustPatch(mergeType, `{"spec":{"options":`+option(600)+`}}`))

	// Whoever applies wants to be known.
	s.mustDelete()
	s.mustApply("one", `{"color":"green"}`)
	_, _, err = applyAs(s.v1, "one", `{"apiVersion":"shop.example.com/v1","kind":"Widget","spec":{"options":`+option(600)+`}}`, false)
	want413("apply", err)
}
