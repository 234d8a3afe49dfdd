// Package v1 serves the kinds that keep pods, as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=apps
// +k8s:protobuf-gen=package
package v1
