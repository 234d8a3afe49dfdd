package kubernetes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Binding answers POST …/pods/{name}/binding: the pod gets a node, once.
func (PodStrategy) Binding(_ context.Context, pod *corev1.Pod, binding *corev1.Binding) error {
	target := field.NewPath("target")
	if kind := binding.Target.Kind; kind != "" && kind != "Node" {
		return field.NotSupported(target.Child("kind"), kind, []string{"Node", "<empty>"})
	}
	if binding.Target.Name == "" {
		return field.Required(target.Child("name"), "")
	}
	if faults := validation.NameIsDNSSubdomain(binding.Target.Name, false); len(faults) > 0 {
		return field.Invalid(target.Child("name"), binding.Target.Name, faults[0])
	}
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, pod.Name, fmt.Errorf(format, args...))
	}
	switch {
	case pod.DeletionTimestamp != nil:
		return conflict("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return conflict("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		return conflict("pod %s has non-empty .spec.schedulingGates", pod.Name)
	}
	pod.Spec.NodeName, pod.Status.NominatedNodeName = binding.Target.Name, ""
	merge(&pod.Annotations, binding.Annotations)
	merge(&pod.Labels, binding.Labels)
	setCondition(&pod.Status, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	return nil
}
