package quota_test

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage/memory"
)

// podsWith serves pods with no rules but those of a strategy.
func podsWith(strategy registry.Strategy[*corev1.Pod]) typeplane.API {
	api, gv := workloads(), schema.GroupVersion{Version: "v1"}
	api.Resources = []registry.Resource{registry.Define(registry.Definition[*corev1.Pod]{
		GroupKind: schema.GroupKind{Kind: "Pod"}, Plural: "pods", Namespaced: true, StorageVersion: gv, Versions: []schema.GroupVersion{gv},
		Strategy: strategy,
	})}
	return api
}

// TestDefaultsAfterAdmission: a plug-in adds a limit, of which the defaults of pods make a request
// when the pod is stored. The request is charged.
func TestDefaultsAfterAdmission(t *testing.T) {
	c := inMemory(memory.NewDatabase())
	c.more = []typeplane.API{podsWith(registry.Strategy[*corev1.Pod]{})}
	c.before = &admission.Plugin{Name: "Limits", Mutate: func(_ context.Context, r *admission.Request) error {
		if pod, ok := r.Object.(*corev1.Pod); ok {
			pod.Spec.Containers = slices.Clone(pod.Spec.Containers)
			pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceEphemeralStorage: resource.MustParse("2")}
		}
		return nil
	}}
	s := c.start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"pods": "3", "requests.ephemeral-storage": "3"}))
	s.mustCreate("pods", podNamed("a", podShape{}))
	s.wantUsed("q", "pods=1,requests.ephemeral-storage=2")
	if err := s.create("pods", podNamed("b", podShape{})); err == nil {
		t.Error("4 bytes of 3")
	}
	s.mustDelete("pods", "a")
	s.wantUsed("q", "pods=0,requests.ephemeral-storage=0")
}

// TestPrepareForDelete: a strategy ends a pod that is being deleted. The pod is released at once,
// and only once.
func TestPrepareForDelete(t *testing.T) {
	c := inMemory(memory.NewDatabase())
	c.more = []typeplane.API{podsWith(registry.Strategy[*corev1.Pod]{Deletion: registry.Deletion[*corev1.Pod]{
		PrepareForDelete: func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed },
	}})}
	s := c.start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"pods": "1", "count/pods": "1"}))
	pod := podNamed("a", podShape{})
	pod.Finalizers = []string{"example.com/wait"}
	s.mustCreate("pods", pod)
	if err := s.delete("pods", "a", "All"); err != nil {
		t.Fatal(err)
	}
	s.wantUsed("q", "count/pods=1,pods=1")
	s.mustDelete("pods", "a")
	s.wantUsed("q", "count/pods=1,pods=0")
	pod = get[corev1.Pod](s, "pods", "a")
	pod.Finalizers = nil
	s.mustUpdate("pods", pod)
	s.wantUsed("q", "count/pods=0,pods=0")
}
