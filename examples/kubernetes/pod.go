package kubernetes

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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

// Ephemeralcontainers adds containers to a pod that runs. Those that it has stay as they are.
func (PodStrategy) Ephemeralcontainers(_ context.Context, pod, sent *corev1.Pod) error {
	at := specPath.Child("ephemeralContainers")
	named := map[string]*corev1.EphemeralContainer{}
	for i := range sent.Spec.EphemeralContainers {
		named[sent.Spec.EphemeralContainers[i].Name] = &sent.Spec.EphemeralContainers[i]
	}
	for i := range pod.Spec.EphemeralContainers {
		has := &pod.Spec.EphemeralContainers[i]
		switch c := named[has.Name]; {
		case c == nil:
			return field.Forbidden(at, fmt.Sprintf("existing ephemeral containers %q may not be removed", has.Name))
		case !equality.Semantic.DeepEqual(c, has):
			return field.Forbidden(at, fmt.Sprintf("existing ephemeral containers %q may not be changed", has.Name))
		}
	}
	pod.Spec.EphemeralContainers = sent.Spec.EphemeralContainers
	return nil
}

// Resize changes what the containers of a pod may use, and the pod as a whole. A client that leaves
// the latter out may not know it.
func (PodStrategy) Resize(_ context.Context, pod, sent *corev1.Pod) error {
	class := strategy.QOSClass(&pod.Spec)
	for _, of := range []struct {
		name     string
		to, from []corev1.Container
	}{{"containers", pod.Spec.Containers, sent.Spec.Containers}, {"initContainers", pod.Spec.InitContainers, sent.Spec.InitContainers}} {
		if err := resizeContainers(of.to, of.from, specPath.Child(of.name)); err != nil {
			return err
		}
	}
	if sent.Spec.Resources != nil {
		pod.Spec.Resources = sent.Spec.Resources
	}
	strategy.CompleteResources(&pod.Spec)
	if now := strategy.QOSClass(&pod.Spec); now != class {
		return field.Invalid(specPath, now, "Pod QOS Class may not change as a result of resizing")
	}
	return nil
}

// resizeContainers changes containers that are there. Others would be passed over in silence.
func resizeContainers(to, from []corev1.Container, at *field.Path) *field.Error {
	if len(to) != len(from) {
		return field.Forbidden(at, "containers may not be added or removed on resize")
	}
	for i := range to {
		if to[i].Name != from[i].Name {
			return field.Forbidden(at.Index(i).Child("name"), "containers may not be renamed or reordered on resize")
		}
		to[i].Resources, to[i].ResizePolicy = from[i].Resources, from[i].ResizePolicy
	}
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
