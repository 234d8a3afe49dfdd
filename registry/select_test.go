package registry_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// Selectors on labels, names and selectable fields of the stored version look at many entries and
// decode none.
func TestSelectorsDecodeNothing(t *testing.T) {
	const objects = 200
	served, _ := benchServer(t, objects)
	list := func(served rest.Resource, opts metav1.ListOptions) float64 {
		return testing.AllocsPerRun(5, func() {
			if _, err := served.List.List(ctx, "ns", opts); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, opts := range []metav1.ListOptions{
		{LabelSelector: "app=nothing"}, {LabelSelector: "app in (a,b),tier!=a"}, {FieldSelector: "spec.color=green"},
		{FieldSelector: "metadata.name!=w,spec.color=green"}, {LabelSelector: "app=shop", FieldSelector: "spec.color!=red"},
	} {
		if n := list(served[0], opts); n > objects/2 {
			t.Errorf("%+v: %v allocations for %d entries", opts, n, objects)
		}
	}
	// The other version has other fields, at other places.
	if n := list(served[1], metav1.ListOptions{FieldSelector: "spec.colour=green"}); n < objects {
		t.Errorf("%v allocations in a version that has to be decoded: the test says nothing", n)
	}
}

// What can't be read from the bytes is decoded: a message may have groups, which every decoder
// passes over.
func TestSelectorsFallBack(t *testing.T) {
	store := memory.New(memory.Config{})
	served, err := define(strategy{}).Serve(widget.Scheme(), store, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &widget.V1{ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: "ns", Labels: map[string]string{"app": "shop"}}, Spec: widget.V1Spec{Color: "red"}}
	raw, err := w.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	raw = protowire.AppendTag(protowire.AppendTag(raw, 99, protowire.StartGroupType), 99, protowire.EndGroupType)
	if _, err := store.Create(ctx, "/shop.example.com/widgets/ns/w", protobufOf("shop.example.com/v1", raw)); err != nil {
		t.Fatal(err)
	}
	for opts, want := range map[metav1.ListOptions]int{
		{FieldSelector: "spec.color=red"}:                       1,
		{FieldSelector: "metadata.namespace=ns,spec.color=red"}: 1,
		{FieldSelector: "metadata.name!=w"}:                     0,
		{FieldSelector: "spec.color!=red"}:                      0,
		{LabelSelector: "app=shop"}:                             1,
		{LabelSelector: "app!=shop"}:                            0,
	} {
		view, err := served[0].List.List(ctx, "", opts)
		if err != nil {
			t.Fatal(err)
		}
		if got := read[widget.V1List](t, view); len(got.Items) != want {
			t.Errorf("%+v selects %d objects, want %d", opts, len(got.Items), want)
		}
	}
}
