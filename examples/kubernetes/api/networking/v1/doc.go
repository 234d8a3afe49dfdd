// Package v1 serves who may reach what, and addresses, as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=networking.k8s.io
// +k8s:protobuf-gen=package
package v1
