package kubernetes

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/semantic"
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

// Ephemeralcontainers adds containers to a pod that runs. Those that it has stay as they are. So
// says ValidatePodEphemeralContainersUpdate in pkg/apis/core/validation of Kubernetes.
func (PodStrategy) Ephemeralcontainers(_ context.Context, pod, sent *corev1.Pod) error {
	if isStatic(pod) {
		return field.Forbidden(field.NewPath(""), "static pods do not support ephemeral containers")
	}
	named := map[string]*corev1.EphemeralContainer{}
	for i := range sent.Spec.EphemeralContainers {
		named[sent.Spec.EphemeralContainers[i].Name] = &sent.Spec.EphemeralContainers[i]
	}
	at, errs := specPath.Child("ephemeralContainers"), field.ErrorList{}
	for i := range rest.WhileFew(&errs, slices.All(pod.Spec.EphemeralContainers)) {
		has := &pod.Spec.EphemeralContainers[i]
		switch c := named[has.Name]; {
		case c == nil:
			errs = append(errs, field.Forbidden(at, fmt.Sprintf("existing ephemeral containers %q may not be removed", has.Name)))
		case !semantic.Equal(c, has):
			errs = append(errs, field.Forbidden(at, fmt.Sprintf("existing ephemeral containers %q may not be changed", has.Name)))
		}
	}
	pod.Spec.EphemeralContainers = sent.Spec.EphemeralContainers
	return errs.ToAggregate()
}

// isStatic says whether a pod shows what its kubelet runs by itself, from a file.
func isStatic(pod *corev1.Pod) bool {
	_, is := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return is
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
