package registry_test

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// What is exported in one namespace can be created in another, and is the same there.
func TestExport(t *testing.T) {
	s := serveOwned(t, strategy{
		Export: func(_ context.Context, w *widget.Widget, exact bool) {
			if !exact {
				delete(w.Spec.Options, "node")
			}
		},
	})
	s.mustCreate(`{"metadata":{"name":"w","labels":{"a":"b"},"annotations":{"c":"d"},"finalizers":["example.com/a"],
		"ownerReferences":[{"apiVersion":"v1","kind":"Owner","name":"o","uid":"u"}]},
		"spec":{"color":"green","replicas":3,"options":{"node":"n1","keep":"it"}},"status":{"phase":"Running"}}`)
	before := s.raw(named)
	export := func(r rest.Resource, exact bool, form rest.Form) string {
		t.Helper()
		view, err := r.Export.Export(ctx, named, metav1.GetOptions{}, exact)
		if err != nil {
			t.Fatal(err)
		}
		return written(t, view, form)
	}
	json := rest.Form{MediaType: rest.JSON}
	const spec = `"labels":{"a":"b"},"annotations":{"c":"d"},"finalizers":["example.com/a"]},"spec":{"color":"green","replicas":3,"options":{`
	got := export(s.v1, false, json)
	want := `{"kind":"Widget","apiVersion":"shop.example.com/v1","metadata":{"name":"w",` + spec + `"keep":"it"}},"status":{}}` + "\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := export(s.v1, true, json), `"metadata":{"name":"w","namespace":"ns",`+spec+`"keep":"it","node":"n1"}},"status":{}}`; !strings.Contains(got, want) {
		t.Errorf("exact:\n%s\nwant\n%s", got, want)
	}
	if got := export(s.beta, false, json); !strings.Contains(got, `"colour":"green"`) {
		t.Errorf("in another version: %s", got)
	}
	for _, form := range []rest.Form{{MediaType: rest.Protobuf}, {MediaType: rest.YAML}, {MediaType: rest.JSON, As: rest.AsTable}, {MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}} {
		if got := export(s.v1, false, form); !strings.Contains(got, "w") || strings.Contains(got, "Running") {
			t.Errorf("%+v: %s", form, got)
		}
	}
	view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "other"}, parse(t, widget.GV1, got), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if w := read[*widget.V1](t, view); w.Namespace != "other" || w.Spec.Color != "green" || w.UID == "" {
		t.Errorf("%+v", w)
	}
	if s.raw(named) != before {
		t.Error("an export changed what is stored")
	}
	_, err = s.v1.Export.Export(ctx, rest.Name{Namespace: "ns", Name: "none"}, metav1.GetOptions{}, false)
	wantStatus(t, err, 404, metav1.StatusReasonNotFound, `widgets.shop.example.com "none" not found`)
}

// A name that was generated is generated anew elsewhere.
func TestExportOfAGeneratedName(t *testing.T) {
	s := serveWith(t, strategy{}, registry.Options{}, nil)
	w := s.mustCreate(`{"metadata":{"generateName":"w-"}}`)
	name := rest.Name{Namespace: "ns", Name: w.Name}
	for exact, want := range map[bool]string{false: `"metadata":{"generateName":"w-"}`, true: `"metadata":{"name":"` + w.Name + `","generateName":"w-","namespace":"ns"}`} {
		view, err := s.v1.Export.Export(ctx, name, metav1.GetOptions{}, exact)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, view); !strings.Contains(got, want) {
			t.Errorf("exact %v: %s", exact, got)
		}
	}
}
