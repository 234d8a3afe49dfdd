package v1

import corev1 "k8s.io/api/core/v1"

// Secret holds what few may read.
//
// +kubebuilder:selectablefield:JSONPath=.type
type Secret = corev1.Secret

// SecretList is a list of secrets.
type SecretList = corev1.SecretList

// ConfigMap holds what programs read when they start.
//
// +kubebuilder:resource:shortName=cm
type ConfigMap = corev1.ConfigMap

// ConfigMapList is a list of config maps.
type ConfigMapList = corev1.ConfigMapList
