package kinds

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Pod is the kind with the most fields.
//
// +kubebuilder:resource
type Pod = corev1.Pod

// Deployment has a pod's template inside.
//
// +kubebuilder:resource
type Deployment = appsv1.Deployment

// Node is wide and flat.
//
// +kubebuilder:resource:scope=Cluster
type Node = corev1.Node

// ConfigMap is metadata and two maps.
//
// +kubebuilder:resource
type ConfigMap = corev1.ConfigMap
