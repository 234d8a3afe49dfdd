// Package v1 serves what is behind a service, as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=discovery.k8s.io
// +k8s:protobuf-gen=package
package v1
