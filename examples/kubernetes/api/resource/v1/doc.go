// Package v1 serves devices, and claims to them, as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=resource.k8s.io
// +k8s:protobuf-gen=package
package v1
