// Package v1 serves how nodes run containers, as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// A runtime class has no defaults: what pods take more of with it is not rounded.
//
// +k8s:defaulter-gen=false
// +groupName=node.k8s.io
// +k8s:protobuf-gen=package
package v1
