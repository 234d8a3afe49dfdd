package kubernetes

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
)

// PodStrategy holds what is special about pods.
type PodStrategy struct{ strategy.Pod }

// CheckGracefulDelete: what runs gets the time that it asks for. What does not, or not any more,
// goes at once.
func (PodStrategy) CheckGracefulDelete(_ context.Context, pod *corev1.Pod, opts *metav1.DeleteOptions) bool {
	if opts.GracePeriodSeconds == nil {
		opts.GracePeriodSeconds = pod.Spec.TerminationGracePeriodSeconds
	}
	over := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
	if pod.Spec.NodeName == "" || over {
		opts.GracePeriodSeconds = new(int64)
	}
	return true
}

// Ephemeralcontainers adds containers to a pod that runs.
func (PodStrategy) Ephemeralcontainers(_ context.Context, pod, sent *corev1.Pod) error {
	before := pod.Spec.EphemeralContainers
	for i := range before {
		at := field.NewPath("spec", "ephemeralContainers")
		if !slices.ContainsFunc(sent.Spec.EphemeralContainers, func(c corev1.EphemeralContainer) bool { return c.Name == before[i].Name }) {
			return field.Forbidden(at, fmt.Sprintf("existing ephemeral containers %q may not be removed", before[i].Name))
		}
	}
	pod.Spec.EphemeralContainers = sent.Spec.EphemeralContainers
	return nil
}

// Resize changes what the containers of a pod may use, and the pod as a whole. A client that leaves
// the latter out may not know it.
func (PodStrategy) Resize(_ context.Context, pod, sent *corev1.Pod) error {
	for _, of := range []struct{ to, from []corev1.Container }{{pod.Spec.Containers, sent.Spec.Containers}, {pod.Spec.InitContainers, sent.Spec.InitContainers}} {
		for i := range of.to {
			j := slices.IndexFunc(of.from, func(c corev1.Container) bool { return c.Name == of.to[i].Name })
			if j < 0 {
				return field.Forbidden(field.NewPath("spec"), "pod resize may not add or remove containers")
			}
			of.to[i].Resources, of.to[i].ResizePolicy = of.from[j].Resources, of.from[j].ResizePolicy
		}
	}
	if sent.Spec.Resources != nil {
		pod.Spec.Resources = sent.Spec.Resources
	}
	strategy.CompleteResources(&pod.Spec)
	return nil
}

// setCondition puts a condition in the place of the one of its type.
func setCondition(status *corev1.PodStatus, is corev1.PodCondition) {
	is.LastTransitionTime = metav1.Now().Rfc3339Copy()
	i := slices.IndexFunc(status.Conditions, func(c corev1.PodCondition) bool { return c.Type == is.Type })
	switch {
	case i < 0:
		status.Conditions = append(status.Conditions, is)
	case status.Conditions[i].Status == is.Status:
		is.LastTransitionTime = status.Conditions[i].LastTransitionTime
		fallthrough
	default:
		status.Conditions[i] = is
	}
}
