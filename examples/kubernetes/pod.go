package kubernetes

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// PodStrategy holds what is special about pods.
type PodStrategy struct{ described }

// PrepareForCreate starts the life of a pod: it waits for somebody to run it.
func (PodStrategy) PrepareForCreate(_ context.Context, pod *corev1.Pod) {
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: qosClass(&pod.Spec)}
	if len(pod.Spec.SchedulingGates) > 0 {
		setCondition(&pod.Status, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated,
			Message: "Scheduling is blocked due to non-empty scheduling gates",
		})
	}
}

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

// ResetFields are what a write leaves as it is: who owns the pod, where it is one of the status.
func (PodStrategy) ResetFields(subresource string) []string {
	if subresource == "status" {
		return []string{"metadata.ownerReferences"}
	}
	return nil
}

// Canonicalize says again what follows from the rest of the pod, which who writes a status may
// leave out.
func (PodStrategy) Canonicalize(pod *corev1.Pod) {
	if pod.Status.QOSClass == "" {
		pod.Status.QOSClass = qosClass(&pod.Spec)
	}
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

// Resize changes what the containers of a pod may use.
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
	return nil
}

// qosClass says what happens to a pod when its node gets short of something.
func qosClass(spec *corev1.PodSpec) corev1.PodQOSClass {
	guaranteed, asksForNothing := true, true
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
			asksForNothing = asksForNothing && request.IsZero() && limit.IsZero()
			guaranteed = guaranteed && !limit.IsZero() && request.Cmp(limit) == 0
		}
	}
	switch {
	case asksForNothing:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
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
