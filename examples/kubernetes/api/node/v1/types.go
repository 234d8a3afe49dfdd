package v1

import nodev1 "k8s.io/api/node/v1"

// RuntimeClass is a way to run containers.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:printcolumn:name=Handler,type=string,JSONPath=.handler
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type RuntimeClass = nodev1.RuntimeClass

// RuntimeClassList is a list of them.
type RuntimeClassList = nodev1.RuntimeClassList
