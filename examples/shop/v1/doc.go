// Package v1 is the only version of the shop's kinds.
//
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
// +groupName=shop.example.org
package v1
