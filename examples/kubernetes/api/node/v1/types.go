package v1

import nodev1 "k8s.io/api/node/v1"

// RuntimeClass is a way to run containers.
//
// +kubebuilder:resource:scope=Cluster
type RuntimeClass = nodev1.RuntimeClass

// RuntimeClassList is a list of them.
type RuntimeClassList = nodev1.RuntimeClassList
