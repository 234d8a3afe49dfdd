// Package v1 serves pods, services, nodes and what else is in Kubernetes' first group.
//
// The types are aliases of those in k8s.io/api. The markers here say how they are served.
//
// +groupName=
// +k8s:protobuf-gen=package
package v1
