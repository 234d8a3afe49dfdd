// Package v1 serves what drivers of volumes and the control plane tell each other.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=storage.k8s.io
// +k8s:protobuf-gen=package
package v1
