package v1

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// The functions here and in defaults_pod.go are found by their names, for the kinds and for every
// type inside of them; the tags +default in k8s.io/api say the rest. What they do is what
// Kubernetes does.

// SetDefaults_ReplicationController takes the labels and the selector from the template.
func SetDefaults_ReplicationController(in *corev1.ReplicationController) {
	if in.Spec.Replicas == nil {
		one := int32(1)
		in.Spec.Replicas = &one
	}
	if in.Spec.Template == nil {
		return
	}
	labels := in.Spec.Template.Labels
	if len(labels) == 0 {
		return
	}
	if len(in.Spec.Selector) == 0 {
		in.Spec.Selector = maps.Clone(labels)
	}
	if len(in.Labels) == 0 {
		in.Labels = maps.Clone(labels)
	}
}
