package registry_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// Of a kind without protobuf a step has the document, also what its Go value would leave out. What
// is stored is JSON, as it lies in the database.
func TestStepsOfADocument(t *testing.T) {
	old, db := serveOld(t, strategy{Canonicalize: func(w *widget.Widget) { w.Spec.Color = "green" }})
	const text = `{"metadata":{"name":"w"},"paint":"red","count":0}`
	sent := rest.Document{Body: parse(t, widget.GVOld, text), JSON: []byte(text)}
	req := &rest.Request{Steps: new(rest.Steps)}
	if _, err := old.Create.Create(ctx, req, rest.Name{Namespace: "ns"}, sent, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	objects := map[rest.StepName]string{}
	for _, step := range req.Steps.List() {
		objects[step.Name] = string(step.Object)
		if step.Problem != "" {
			t.Errorf("%s: %s", step.Name, step.Problem)
		}
	}
	if got := objects[rest.StepSent]; got != text {
		t.Errorf("sent %s", got)
	}
	if got := objects[rest.StepDefaulted]; !strings.HasSuffix(got, `"count":0,"paint":"red"}`) {
		t.Errorf("defaulted %s", got)
	}
	if before, after := objects[rest.StepPrepared], objects[rest.StepCanonicalized]; !strings.Contains(before, `"red"`) || !strings.Contains(after, `"green"`) {
		t.Errorf("canonicalized from %s to %s", before, after)
	}
	stored, _ := db.Get("/registry/shop.example.com/widgets/ns/w")
	if got := req.Steps.Stored(); string(got.Value) != string(stored) || got.Key != "/shop.example.com/widgets/ns/w" || strings.TrimSpace(string(stored)) != strings.TrimSpace(objects[rest.StepStored]) {
		t.Errorf("stored %+v; in the database is %s, and the step has %s", got, stored, objects[rest.StepStored])
	}
}

// An attempt that is made again forgets what the one before it has noted.
func TestStepsOfASecondAttempt(t *testing.T) {
	var steps rest.Steps
	note := func(name rest.StepName, object string) {
		steps.Note(name, "v1", func() ([]byte, error) { return []byte(object), nil })
	}
	note(rest.StepSent, "1")
	note(rest.StepOwned, "2")
	note(rest.StepMutated, "2")
	note(rest.StepOwned, "1")
	note(rest.StepMutated, "3")
	steps.Note(rest.StepPrepared, "v1", func() ([]byte, error) { return nil, errors.New("it has no JSON") })
	note(rest.StepStored, "3")
	want := []rest.Step{
		{Name: rest.StepSent, APIVersion: "v1", Object: []byte("1")}, {Name: rest.StepOwned, APIVersion: "v1"},
		{Name: rest.StepMutated, APIVersion: "v1", Object: []byte("3")}, {Name: rest.StepPrepared, APIVersion: "v1", Problem: "it has no JSON"},
		{Name: rest.StepStored, APIVersion: "v1"},
	}
	same := func(a, b rest.Step) bool {
		return a.Name == b.Name && a.APIVersion == b.APIVersion && string(a.Object) == string(b.Object) && a.Problem == b.Problem
	}
	if got := steps.List(); !slices.EqualFunc(got, want, same) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	var nobody *rest.Steps
	nobody.Note(rest.StepSent, "v1", func() ([]byte, error) { panic("nobody wants to see it") })
}
