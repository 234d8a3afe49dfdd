// Package v1 serves deployments as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api: see package core/v1 for how. That package also says
// what the defaults of a template of pods are.
//
// +typeplane:docs=examples/cluster/docs
// +groupName=apps
// +typeplane:json-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
package v1
