package main

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/examples/cluster/api/autoscaling"
	autoscalingv1 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v1"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestDefaultsOfTheStoredVersion: autoscaling/v1 has no default for the metric, and v2, in which
// autoscalers are stored, has one. Whoever judges what a client of v1 wrote sees it, and what v1
// has no word for is not lost on the way there and back.
func TestDefaultsOfTheStoredVersion(t *testing.T) {
	var seen []*autoscaling.HorizontalPodAutoscaler
	chain := new(admission.Chain)
	chain.Set([]admission.Plugin{{Name: "Watcher", Mutate: func(_ context.Context, r *admission.Request) error {
		seen = append(seen, r.Object.DeepCopyObject().(*autoscaling.HorizontalPodAutoscaler))
		return nil
	}}})
	through := serveAutoscalers(t, chain)
	ctx, name := t.Context(), rest.Name{Namespace: "ns", Name: "h"}
	obj := &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "h"}, Spec: autoscalingv1.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{Kind: "ReplicationController", Name: "rc"}, MaxReplicas: 5,
	}}
	if _, err := through["v1"].Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, obj, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	behavior := rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":7}}}}`)}
	if _, _, err := through["v2"].Patch.Patch(ctx, new(rest.Request), name, behavior, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	more := rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":{"maxReplicas":6}}`)}
	if _, _, err := through["v1"].Patch.Patch(ctx, new(rest.Request), name, more, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	for i, hpa := range seen {
		if len(hpa.Spec.Metrics) != 1 || *hpa.Spec.Metrics[0].Resource.Target.AverageUtilization != 80 {
			t.Errorf("write %d: metrics %s", i, marshal(hpa.Spec.Metrics))
		}
	}
	if last := seen[2].Spec; last.MaxReplicas != 6 || last.Behavior == nil || *last.Behavior.ScaleDown.StabilizationWindowSeconds != 7 || len(seen[2].Annotations) != 0 {
		t.Errorf("the hub of a write through v1: %s", marshal(seen[2]))
	}
}

// serveAutoscalers serves them in memory, by version.
func serveAutoscalers(t *testing.T, chain *admission.Chain) map[string]rest.Resource {
	t.Helper()
	for _, resource := range newServer().Resources {
		if resource.GroupResource().Resource != "horizontalpodautoscalers" {
			continue
		}
		opts := registry.Options{Admission: chain}
		form, err := resource.Form(scheme(t), opts)
		if err != nil {
			t.Fatal(err)
		}
		served, err := resource.Serve(scheme(t), memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry", Form: form}), opts)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]rest.Resource{}
		for _, r := range served {
			if r.Subresource == "" {
				out[r.GroupVersion.Version] = r
			}
		}
		return out
	}
	t.Fatal("there are no autoscalers")
	return nil
}
