package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// meters works out widgets, one for each letter.
func meters() registry.Virtual[*widget.V1] {
	make := func(ns, name string) *widget.V1 {
		return &widget.V1{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: map[string]string{"letter": name}}, Spec: widget.V1Spec{Color: "of " + name}}
	}
	return registry.Virtual[*widget.V1]{
		Kind: widget.GV1.WithKind("Meter"), New: func() *widget.V1 { return new(widget.V1) },
		Plural: "meters", Singular: "meter", ShortNames: []string{"mt"}, Namespaced: true,
		Get: func(_ context.Context, name rest.Name) (*widget.V1, error) {
			if len(name.Name) != 1 {
				return nil, apierrors.NewNotFound(schema.GroupResource{Group: widget.GV1.Group, Resource: "meters"}, name.Name)
			}
			return make(name.Namespace, name.Name), nil
		},
		List: func(_ context.Context, ns string) ([]*widget.V1, error) {
			if ns == "broken" {
				return nil, errors.New("no meter answers")
			}
			return []*widget.V1{make(ns, "a"), make(ns, "b")}, nil
		},
		Create: func(_ context.Context, _ *rest.Request, name rest.Name, obj *widget.V1, opts metav1.CreateOptions) (*widget.V1, error) {
			if obj.Spec.Color == "" {
				return nil, field.Required(field.NewPath("spec", "color"), "what is to be measured?")
			}
			obj.Status.Phase = fmt.Sprint(name.Namespace, len(obj.Spec.Color), opts.DryRun)
			return obj, nil
		},
		Columns: []metav1.TableColumnDefinition{{Name: "Color", Type: "string"}},
		Cells:   func(w *widget.V1) []any { return []any{w.Spec.Color} },
	}
}

func TestVirtual(t *testing.T) {
	r, err := meters().Resource()
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "meters" || r.ListKind != "MeterList" || r.Watch != nil || r.Update != nil || r.Delete != nil || !r.Namespaced {
		t.Errorf("%+v", r)
	}
	form := rest.Representation{MediaType: rest.JSON}
	one, err := r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "a"}, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := written(t, one, form), `{"kind":"Meter","apiVersion":"shop.example.com/v1","metadata":{"name":"a","namespace":"ns","labels":{"letter":"a"}},"spec":{"color":"of a"},"status":{}}`+"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, err = r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "long"}, metav1.GetOptions{})
	wantStatus(t, err, 404, metav1.StatusReasonNotFound, `meters.shop.example.com "long" not found`)

	list, err := r.List.List(ctx, "ns", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const item = `{"metadata":{"name":"b","namespace":"ns","labels":{"letter":"b"}},"spec":{"color":"of b"},"status":{}}`
	for _, tc := range []struct {
		form rest.Representation
		want string
	}{
		{form, `{"kind":"MeterList","apiVersion":"shop.example.com/v1","metadata":{},"items":[`},
		{form, item + "]}\n"},
		{rest.Representation{MediaType: rest.YAML}, "kind: MeterList"},
		{rest.Representation{MediaType: rest.JSON, As: rest.AsTable}, `{"cells":["b","of b"],"object":{"kind":"PartialObjectMetadata"`},
		{rest.Representation{MediaType: rest.JSON, As: rest.AsTable, IncludeObject: metav1.IncludeObject}, `"object":{"kind":"Meter"`},
		{form, item + "]}\n"}, // and not what the Table left behind
		{rest.Representation{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}, `"kind":"PartialObjectMetadataList"`},
		{rest.Representation{MediaType: rest.Protobuf, As: rest.AsPartialObjectMetadata}, "PartialObjectMetadataList"},
		{rest.Representation{MediaType: rest.Protobuf}, "of b"},
	} {
		if got := written(t, list, tc.form); !strings.Contains(got, tc.want) {
			t.Errorf("%+v: %s, want %s", tc.form, got, tc.want)
		}
	}
	for selector, want := range map[metav1.ListOptions]string{
		{LabelSelector: "letter=a"}:                                   `"a"`,
		{FieldSelector: "metadata.name=b"}:                            `"b"`,
		{LabelSelector: "letter=a", FieldSelector: "metadata.name=b"}: "",
	} {
		list, err := r.List.List(ctx, "ns", selector)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(t, list, form); strings.Contains(got, `"name":"a"`) != (want == `"a"`) || strings.Contains(got, `"name":"b"`) != (want == `"b"`) {
			t.Errorf("%v: %s", selector, got)
		}
	}
	_, err = r.List.List(ctx, "ns", metav1.ListOptions{FieldSelector: "spec.color=red"})
	wantStatus(t, err, 400, metav1.StatusReasonBadRequest, "field label not supported: spec.color")
	_, err = r.List.List(ctx, "broken", metav1.ListOptions{})
	wantStatus(t, err, 500, metav1.StatusReasonInternalError, "Internal error occurred: no meter answers")

	create := func(ns, body string) (string, error) {
		view, err := r.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: ns}, parse(t, widget.GV1, body), metav1.CreateOptions{DryRun: []string{"All"}})
		if err != nil {
			return "", err
		}
		return written(t, view, form), nil
	}
	if got, err := create("ns", `{"spec":{"color":"red"}}`); err != nil || !strings.Contains(got, `"metadata":{"namespace":"ns"}`) || !strings.Contains(got, `"phase":"ns3 [All]"`) {
		t.Errorf("%s %v", got, err)
	}
	_, err = create("ns", `{}`)
	wantCauses(t, err, "spec.color: Required value: what is to be measured?")
	_, err = create("ns", `{"metadata":{"namespace":"other"}}`)
	wantStatus(t, err, 400, metav1.StatusReasonBadRequest, "the namespace of the provided object does not match the namespace sent on the request: metadata.namespace is \"other\", the URL says \"ns\"")
}

// TestVirtualOfAList: what only lists serves get, too.
func TestVirtualOfAList(t *testing.T) {
	v := meters()
	v.Get, v.Create, v.Columns, v.Cells = nil, nil, nil, nil
	list := v.List
	v.List = func(ctx context.Context, ns string) ([]*widget.V1, error) {
		all, err := list(ctx, ns)
		if err == nil {
			all[0].CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Hour))
			all = append(all, &widget.V1{ObjectMeta: metav1.ObjectMeta{Namespace: "another", Name: "c"}})
		}
		return all, err
	}
	r, err := v.Resource()
	if err != nil {
		t.Fatal(err)
	}
	one, err := r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "b"}, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := written(t, one, rest.Representation{MediaType: rest.JSON}); !strings.HasPrefix(got, `{"kind":"Meter","apiVersion":"shop.example.com/v1","metadata":{"name":"b","namespace":"ns"`) {
		t.Error(got)
	}
	for _, name := range []string{"c", "d"} { // one of another namespace, and one that there is not
		_, err = r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: name}, metav1.GetOptions{})
		wantStatus(t, err, 404, metav1.StatusReasonNotFound, `meters.shop.example.com "`+name+`" not found`)
	}
	_, err = r.Get.Get(ctx, rest.Name{Namespace: "broken", Name: "a"}, metav1.GetOptions{})
	wantStatus(t, err, 500, metav1.StatusReasonInternalError, "Internal error occurred: no meter answers")

	aged, err := r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "a"}, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.List.List(ctx, "ns", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []rest.View{aged, all} {
		if got := written(t, view, rest.Representation{MediaType: rest.JSON, As: rest.AsTable}); !strings.Contains(got, `{"cells":["a","60m"],`) {
			t.Errorf("no age in %s", got)
		}
	}
}

func TestVirtualMistakes(t *testing.T) {
	for want, change := range map[string]func(*registry.Virtual[*widget.V1]){
		"New is nil": func(v *registry.Virtual[*widget.V1]) { v.New = nil },
		"it has no verbs: set Get, List or Create": func(v *registry.Virtual[*widget.V1]) { v.Get, v.List, v.Create = nil, nil, nil },
		"cell": func(v *registry.Virtual[*widget.V1]) { v.Cells = func(*widget.V1) []any { return nil } },
		"Kind.Kind is empty; Plural is empty; it has no verbs: set Get, List or Create; its Columns have a Name, which every table begins with: leave it out, or give it the format name, if it is the name in another place; Cells returns a struct {} for column Name": func(v *registry.Virtual[*widget.V1]) {
			v.Kind.Kind, v.Plural, v.Get, v.List, v.Create = "", "", nil, nil, nil
			v.Columns[0].Name = "Name"
			v.Cells = func(*widget.V1) []any { return []any{struct{}{}} }
		},
	} {
		v := meters()
		change(&v)
		if _, err := v.Resource(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
