package v1

import corev1 "k8s.io/api/core/v1"

// The functions here are found by their names. What they do is what Kubernetes does.

// SetDefaults_Namespace gives every namespace a label with its name, by which policies select it.
func SetDefaults_Namespace(in *corev1.Namespace) {
	if in.Name == "" {
		return // it has a generateName so far
	}
	if in.Labels == nil {
		in.Labels = map[string]string{}
	}
	in.Labels[corev1.LabelMetadataName] = in.Name
}

// SetDefaults_NamespaceStatus makes a namespace that says nothing else an active one.
func SetDefaults_NamespaceStatus(in *corev1.NamespaceStatus) {
	if in.Phase == "" {
		in.Phase = corev1.NamespaceActive
	}
}
