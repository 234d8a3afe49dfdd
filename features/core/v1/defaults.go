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

// SetDefaults_Secret says what a secret is for, and puts the texts that a client has written among
// the data: there is one form in which a secret is read.
func SetDefaults_Secret(in *corev1.Secret) {
	if in.Type == "" {
		in.Type = corev1.SecretTypeOpaque
	}
	if len(in.StringData) > 0 && in.Data == nil {
		in.Data = map[string][]byte{}
	}
	for key, text := range in.StringData {
		in.Data[key] = []byte(text)
	}
	in.StringData = nil
	fillEmpty(in.Data)
}

// SetDefaults_ConfigMap makes null the same as no bytes.
func SetDefaults_ConfigMap(in *corev1.ConfigMap) { fillEmpty(in.BinaryData) }

// fillEmpty makes empty values of missing ones: that is how they come back from protobuf, and an
// object has one form.
func fillEmpty(data map[string][]byte) {
	for key, value := range data {
		if value == nil {
			data[key] = []byte{}
		}
	}
}
