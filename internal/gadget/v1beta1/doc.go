// Package v1beta1 is an older version of gadgets.
//
// +k8s:deepcopy-gen=package
// +k8s:conversion-gen=github.com/typeplane/typeplane/internal/gadget/v1
// +typeplane:conversion:lossless
// +k8s:openapi-gen=true
// +typeplane:json-gen=package
// +groupName=gadgets.example.com
package v1beta1
