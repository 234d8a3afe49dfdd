// Package v1 serves jobs, once and at times, as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=batch
// +k8s:protobuf-gen=package
package v1
