// Package v1 serves roles and bindings as Kubernetes has them. The types are aliases of those in
// k8s.io/api.
//
// +groupName=rbac.authorization.k8s.io
// +typeplane:json-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
package v1
