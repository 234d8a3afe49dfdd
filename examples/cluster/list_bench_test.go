package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage/memory"
)

// BenchmarkLists is what lists cost: of pods in each form, and of autoscalers in the version that
// is stored and in others. There is no HTTP and no etcd. What counts is the fastest twentieth of
// the lists, which is what a calm machine shows.
func BenchmarkLists(b *testing.B) {
	benchLists(b, "pods", 1000, schema.GroupVersion{Version: "v1"}, sample(b, "pod.yaml"))
	autoscaler := []byte(`
metadata: {labels: {app: web, tier: front}}
spec:
  scaleTargetRef: {kind: Deployment, name: web, apiVersion: apps/v1}
  minReplicas: 2
  maxReplicas: 10
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}
`)
	for _, objects := range []int{1000, 10000} {
		benchLists(b, "horizontalpodautoscalers", objects, schema.GroupVersion{Group: "autoscaling", Version: "v2"}, autoscaler)
	}
}

func benchLists(b *testing.B, name string, objects int, gv schema.GroupVersion, text []byte) {
	server, ctx := newServer(), context.Background()
	for _, r := range server.Resources {
		if r.GroupResource().Resource != name {
			continue
		}
		served, err := r.Serve(scheme(b), memory.New(memory.Config{}), registry.Options{Schemas: registry.NewSchemas(server.OpenAPI)})
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range served {
			if s.Subresource == "" && s.GroupVersion == gv {
				kind, err := scheme(b).Kind(gv.WithKind(s.Kind))
				if err != nil {
					b.Fatal(err)
				}
				for i := range objects {
					sent := kind.New()
					if err := yaml.Unmarshal(text, sent); err != nil {
						b.Fatal(err)
					}
					sent.SetName(fmt.Sprint("o", i))
					sent.SetNamespace("default")
					if _, err := s.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "default"}, sent, metav1.CreateOptions{FieldManager: "bench"}); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
		for _, s := range served {
			if s.Subresource == "" {
				benchForms(b, s, objects)
			}
		}
	}
}

func benchForms(b *testing.B, s rest.Resource, objects int) {
	for form, rep := range map[string]rest.Representation{
		"protobuf": {MediaType: rest.Protobuf},
		"json":     {MediaType: rest.JSON},
		"table":    {MediaType: rest.JSON, As: rest.AsTable},
		"metadata": {MediaType: rest.JSON, As: rest.AsPartialObjectMetadata},
	} {
		b.Run(fmt.Sprint(s.Name, "/", s.GroupVersion, "/", objects, "/", form), func(b *testing.B) {
			list, err := s.List.List(context.Background(), "default", metav1.ListOptions{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var turns []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := list.WriteTo(io.Discard, rep); err != nil {
					b.Fatal(err)
				}
				turns = append(turns, time.Since(start))
			}
			slices.Sort(turns)
			b.ReportMetric(float64(turns[len(turns)/20].Nanoseconds())/float64(objects), "ns/object")
		})
	}
}
