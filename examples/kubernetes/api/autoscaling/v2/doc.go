// Package v2 serves autoscalers, as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=autoscaling
// +k8s:protobuf-gen=package
package v2
