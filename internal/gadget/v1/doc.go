// Package v1 is the version of gadgets that is stored.
//
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
// +typeplane:json-gen=package
// +groupName=gadgets.example.com
package v1
