// Package v1 serves events in the core group, in which they are stored.
//
// +groupName=
// +typeplane:json-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
package v1
