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
