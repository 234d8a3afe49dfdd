// Package v1alpha1 has the record of a credential that a server gave out.
//
// +groupName=auth.typeplane.io
// +typeplane:json-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
package v1alpha1
