package main

import (
	"context"
	"fmt"
	"io"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage/memory"
)

// BenchmarkLists is what lists of 1,000 objects cost: of pods in each form, and of autoscalers in
// the version that is stored and in others. There is no HTTP and no etcd.
func BenchmarkLists(b *testing.B) {
	pod := new(corev1.Pod)
	if err := yaml.Unmarshal(sample(b, "pod.yaml"), pod); err != nil {
		b.Fatal(err)
	}
	autoscaler := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: "web", APIVersion: "apps/v1"}, MinReplicas: new(int32(2)), MaxReplicas: 10,
		Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
			Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: new(int32(80))}}}},
	}}
	for name, obj := range map[string]runtime.Object{"pods": pod, "horizontalpodautoscalers": autoscaler} {
		benchLists(b, name, obj)
	}
}

func benchLists(b *testing.B, name string, obj runtime.Object) {
	const objects = 1000
	server, ctx := newServer(), context.Background()
	for _, r := range server.Resources {
		if r.GroupResource().Resource != name {
			continue
		}
		served, err := r.Serve(scheme(b), memory.New(memory.Config{}), registry.Options{Schemas: registry.NewSchemas(server.OpenAPI)})
		if err != nil {
			b.Fatal(err)
		}
		kind, err := scheme(b).KindOf(obj)
		if err != nil {
			b.Fatal(err)
		}
		for i := range objects {
			sent := obj.DeepCopyObject().(runtime.Object)
			sent.SetName(fmt.Sprint("o", i))
			sent.SetNamespace("default")
			for _, s := range served {
				if s.GroupVersion != kind.GroupVersionKind().GroupVersion() || s.Create == nil {
					continue
				}
				if _, err := s.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "default"}, sent, metav1.CreateOptions{FieldManager: "bench"}); err != nil {
					b.Fatal(err)
				}
			}
		}
		for _, s := range served {
			if s.List == nil {
				continue
			}
			for _, form := range []rest.Representation{{MediaType: rest.Protobuf}, {MediaType: rest.JSON}, {MediaType: rest.JSON, As: rest.AsTable}, {MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}} {
				b.Run(fmt.Sprint(name, "/", s.GroupVersion, "/", form.MediaType, form.As), func(b *testing.B) {
					list, err := s.List.List(ctx, "default", metav1.ListOptions{})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						if err := list.WriteTo(io.Discard, form); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*objects), "µs/object")
				})
			}
		}
	}
}
