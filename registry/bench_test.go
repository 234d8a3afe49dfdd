package registry_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// largeWidget has 3.6 KB of protobuf. Its encoding is written by hand and slower than a generated
// one.
func largeWidget(name string) *widget.V1 {
	w := &widget.V1{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", Labels: map[string]string{"app": "shop"}}}
	for i := range 12 {
		w.Spec.Parts = append(w.Spec.Parts, widget.Part{Name: strings.Repeat("p", 90), Count: int32(i)})
	}
	w.Annotations = map[string]string{"note": strings.Repeat("n", 2300)}
	widget.DefaultV1(w)
	return w
}

// benchServer has n widgets.
func benchServer(b testing.TB, n int) (served []rest.Resource, form storage.Form) {
	b.Helper()
	return benchServerWith(b, n, registry.Options{})
}

func benchServerWith(b testing.TB, n int, opts registry.Options) (served []rest.Resource, form storage.Form) {
	b.Helper()
	scheme, resource := widget.Scheme(), define(strategy{})
	form, err := resource.Form(scheme, registry.Options{})
	if err != nil {
		b.Fatal(err)
	}
	// A cache would have canonical values, so reading them costs nothing here.
	served, err = resource.Serve(scheme, memory.New(memory.Config{}), opts)
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if _, err := served[0].Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, largeWidget(fmt.Sprintf("w%06d", i)), metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	return served, form
}

func BenchmarkCanonical(b *testing.B) {
	_, form := benchServer(b, 0)
	raw, err := largeWidget("w").Marshal()
	if err != nil {
		b.Fatal(err)
	}
	stored := protobufOf("shop.example.com/v1", raw)
	b.ReportAllocs()
	for b.Loop() {
		if _, stale, err := form.Canonical("/k", stored); stale || err != nil {
			b.Fatal(stale, err)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	served, _ := benchServer(b, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := served[0].Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, largeWidget(fmt.Sprint("w", i)), metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCreateOlder creates through a version that is not stored, and is judged by the rules of
// both.
func BenchmarkCreateOlder(b *testing.B) {
	served, _ := benchServer(b, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w := largeWidget(fmt.Sprint("w", i))
		old := &widget.V1beta1{ObjectMeta: w.ObjectMeta, Spec: widget.V1beta1Spec{Parts: w.Spec.Parts, Colour: w.Spec.Color, Replicas: *w.Spec.Replicas}}
		if _, err := served[1].Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, old, metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	served, _ := benchServer(b, 1)
	name := rest.Name{Namespace: "ns", Name: "w000000"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w := largeWidget(name.Name)
		w.Labels["round"] = fmt.Sprint(i)
		if _, _, err := served[0].Update.Update(ctx, new(rest.Request), name, w, metav1.UpdateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOwnedCreate and the two below it are what writes cost when the owners of fields are
// known.
func BenchmarkOwnedCreate(b *testing.B) {
	served, _ := benchServerWith(b, 0, registry.Options{Schemas: widgetSchemas(b)})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := served[0].Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, largeWidget(fmt.Sprint("w", i)), metav1.CreateOptions{FieldManager: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOwnedUpdate(b *testing.B) {
	served, _ := benchServerWith(b, 1, registry.Options{Schemas: widgetSchemas(b)})
	name := rest.Name{Namespace: "ns", Name: "w000000"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w := largeWidget(name.Name)
		w.Labels["round"] = fmt.Sprint(i)
		if _, _, err := served[0].Update.Update(ctx, new(rest.Request), name, w, metav1.UpdateOptions{FieldManager: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	served, _ := benchServerWith(b, 1, registry.Options{Schemas: widgetSchemas(b)})
	name := rest.Name{Namespace: "ns", Name: "w000000"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		patch := fmt.Sprintf(`{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"labels":{"round":"%d"}}}`, i)
		if _, _, err := served[0].Patch.Patch(ctx, new(rest.Request), name, rest.Patch{Type: applyType, Bytes: []byte(patch)}, metav1.PatchOptions{FieldManager: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMergePatch has no owners to find.
func BenchmarkMergePatch(b *testing.B) {
	served, _ := benchServer(b, 1)
	name := rest.Name{Namespace: "ns", Name: "w000000"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		patch := fmt.Sprintf(`{"metadata":{"labels":{"round":"%d"}}}`, i)
		if _, _, err := served[0].Patch.Patch(ctx, new(rest.Request), name, rest.Patch{Type: mergeType, Bytes: []byte(patch)}, metav1.PatchOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	served, _ := benchServer(b, 1)
	for _, mediaType := range []rest.MediaType{rest.Protobuf, rest.JSON} {
		b.Run(string(mediaType), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				view, err := served[0].Get.Get(ctx, rest.Name{Namespace: "ns", Name: "w000000"}, metav1.GetOptions{})
				if err == nil {
					err = view.WriteTo(io.Discard, rest.Representation{MediaType: mediaType})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	served, _ := benchServer(b, 1000)
	for name, opts := range map[string]metav1.ListOptions{
		"all":             {},
		"one by label":    {LabelSelector: "app=nothing"},
		"a page of 100":   {Limit: 100},
		"one by its name": {FieldSelector: "metadata.name=w000500"},
		"some by a field": {FieldSelector: "spec.color=green"},
	} {
		for _, mediaType := range []rest.MediaType{rest.Protobuf, rest.JSON} {
			b.Run(fmt.Sprintf("%s/%s", name, mediaType), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					view, err := served[0].List.List(ctx, "ns", opts)
					if err == nil {
						err = view.WriteTo(io.Discard, rest.Representation{MediaType: mediaType})
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
