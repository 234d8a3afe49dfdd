package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	core "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// document is a pod without protobuf, whose objects are stored as documents.
type document corev1.Pod

func (d *document) DeepCopyObject() apiruntime.Object {
	return (*document)((*corev1.Pod)(d).DeepCopy())
}

type documentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []document `json:"items"`
}

func (*documentList) DeepCopyObject() apiruntime.Object { panic("nobody copies it") }

// kinds are a kind with protobuf, and the same without.
func kinds(b *testing.B) map[string]rest.Resource {
	gv := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	builder := runtime.NewBuilder()
	runtime.AddVersion(runtime.AddHub(builder, gv.WithKind("Message").GroupKind(), func() *corev1.Pod { return new(corev1.Pod) }), runtime.Version[*corev1.Pod, *corev1.Pod]{
		GroupVersion: gv, New: func() *corev1.Pod { return new(corev1.Pod) }, NewList: func() apiruntime.Object { return new(corev1.PodList) },
		Default: core.SetObjectDefaults_Pod, AppendJSON: core.AppendJSON_Pod, ReadJSON: core.ReadJSON_Pod,
		AppendProtobuf: core.AppendProtobuf_Pod, UnmarshalShared: core.UnmarshalShared_Pod, Recycler: core.Recycler_Pod, DeepCopy: core.DeepCopy_Pod,
	})
	runtime.AddVersion(runtime.AddHub(builder, gv.WithKind("Document").GroupKind(), func() *document { return new(document) }), runtime.Version[*document, *document]{
		GroupVersion: gv, New: func() *document { return new(document) }, NewList: func() apiruntime.Object { return new(documentList) },
		Default:    func(in *document) { core.SetObjectDefaults_Pod((*corev1.Pod)(in)) },
		AppendJSON: func(dst []byte, in *document) ([]byte, error) { return core.AppendJSON_Pod(dst, (*corev1.Pod)(in)) },
		ReadJSON:   func(r *runtimejson.Reader, in *document) { core.ReadJSON_Pod(r, (*corev1.Pod)(in)) },
		DeepCopy:   func(in *document) *document { return (*document)(core.DeepCopy_Pod((*corev1.Pod)(in))) },
	})
	scheme, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	served := map[string]rest.Resource{}
	for name, r := range map[string]registry.Resource{
		"message":  registry.Define(registry.Definition[*corev1.Pod]{GroupKind: gv.WithKind("Message").GroupKind(), Plural: "messages", Namespaced: true, StorageVersion: gv, Versions: []schema.GroupVersion{gv}}),
		"document": registry.Define(registry.Definition[*document]{GroupKind: gv.WithKind("Document").GroupKind(), Plural: "documents", Namespaced: true, StorageVersion: gv, Versions: []schema.GroupVersion{gv}, Strategy: registry.Strategy[*document]{AllowUnconditionalUpdate: new(true)}}),
	} {
		form, err := r.Form(scheme, registry.Options{})
		if err != nil {
			b.Fatal(err)
		}
		served[name] = benchDocument(b, name, scheme, r, form)
	}
	return served
}

// BenchmarkDocuments compares a kind that is stored as protobuf with the same kind where it is
// stored as the documents that were sent, without HTTP, etcd and owners of fields.
func BenchmarkDocuments(b *testing.B) { kinds(b) }

func benchDocument(b *testing.B, name string, scheme *runtime.Scheme, r registry.Resource, form storage.Form) rest.Resource {
	cache, err := cacher.New(cacher.Config{Source: memory.New(memory.Config{Form: form}), Prefix: r.KeyPrefix()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(cache.Close)
	if err := cache.WaitReady(b.Context()); err != nil {
		b.Fatal(err)
	}
	served, err := r.Serve(scheme, cache, registry.Options{})
	if err != nil {
		b.Fatal(err)
	}
	resource, ctx := served[0], context.Background()
	var object map[string]any
	if err := yaml.Unmarshal(sample(b, "pod.yaml"), &object); err != nil {
		b.Fatal(err)
	}
	object["apiVersion"], object["kind"] = "bench.example.com/v1", resource.Kind
	object["metadata"].(map[string]any)["namespace"] = "default"
	text := func(name, round string) []byte {
		meta := object["metadata"].(map[string]any)
		meta["name"], meta["annotations"] = name, map[string]any{"round": round}
		text, err := json.Marshal(object)
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	decoded := func(b *testing.B, text []byte) rest.Body {
		d, err := serializer.DecodeBody(scheme, text, serializer.JSON, schema.GroupVersionKind{})
		if err != nil {
			b.Fatal(err)
		}
		if resource.Documents {
			return rest.Document{Body: d.Object, JSON: d.JSON}
		}
		return d.Object
	}
	namespace := rest.Name{Namespace: "default"}
	for i := range 500 {
		if _, err := resource.Create.Create(ctx, new(rest.Request), namespace, decoded(b, text(fmt.Sprint("o", i), "0")), metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	var answer bytes.Buffer
	stage := func(what string, do func(b *testing.B, i int) (rest.View, error)) {
		b.Run(what+"/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				view, err := do(b, i)
				if err == nil {
					answer.Reset()
					err = view.WriteTo(&answer, rest.Representation{MediaType: rest.JSON})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	one := rest.Name{Namespace: "default", Name: "o1"}
	stage("get", func(*testing.B, int) (rest.View, error) { return resource.Get.Get(ctx, one, metav1.GetOptions{}) })
	stage("list of 500", func(*testing.B, int) (rest.View, error) {
		return resource.List.List(ctx, "default", metav1.ListOptions{})
	})
	created := text("new", "0")
	stage("create", func(b *testing.B, _ int) (rest.View, error) {
		return resource.Create.Create(ctx, new(rest.Request), namespace, decoded(b, created), metav1.CreateOptions{DryRun: []string{"All"}})
	})
	rounds := [][]byte{text("o1", "1"), text("o1", "2")}
	stage("update", func(b *testing.B, i int) (rest.View, error) {
		view, _, err := resource.Update.Update(ctx, new(rest.Request), one, decoded(b, rounds[i%2]), metav1.UpdateOptions{})
		return view, err
	})
	stage("merge patch", func(_ *testing.B, i int) (rest.View, error) {
		patch := rest.Patch{Type: types.MergePatchType, Bytes: fmt.Appendf(nil, `{"metadata":{"annotations":{"round":"%d"}}}`, i)}
		view, _, err := resource.Patch.Patch(ctx, new(rest.Request), one, patch, metav1.PatchOptions{})
		return view, err
	})
	value, _, err := form.Canonical("k", created)
	if err != nil {
		b.Fatal(err)
	}
	stored, err := form.Stored("k", value)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("fill/"+name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, stale, err := form.Canonical("k", stored); err != nil || stale {
				b.Fatal(stale, err)
			}
		}
		b.ReportMetric(float64(len(value)), "B/entry")
	})
	return resource
}
