package v1

import corev1 "k8s.io/api/core/v1"

// The functions here are found by their names. What they do is what Kubernetes does.

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
