// Package v1 serves disruption budgets, and evictions that heed them, as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=policy
// +k8s:protobuf-gen=package
package v1
