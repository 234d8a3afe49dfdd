package v1

import corev1 "k8s.io/api/core/v1"

// Namespace is a room in which names are unique.
//
// +kubebuilder:resource:scope=Cluster,shortName=ns
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=.status.phase
type Namespace = corev1.Namespace

// NamespaceList is a list of namespaces.
type NamespaceList = corev1.NamespaceList

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

// ServiceAccount is who a program is.
//
// +kubebuilder:resource:shortName=sa
type ServiceAccount = corev1.ServiceAccount

// ServiceAccountList is a list of service accounts.
type ServiceAccountList = corev1.ServiceAccountList
