// Package v1 serves deployments as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api: see package core/v1 for how. What is made of the
// template of pods that a client leaves half empty is said there, too.
//
// +typeplane:docs=examples/cluster/docs
// +groupName=apps
// +typeplane:json-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
package v1
