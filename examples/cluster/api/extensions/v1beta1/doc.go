// Package v1beta1 is the API that autoscalers had before their group: like autoscaling/v1, with
// other names for things.
//
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:conversion-gen=github.com/typeplane/typeplane/examples/cluster/api/autoscaling
// +typeplane:conversion:lossless
// +k8s:protobuf-gen=package
// +typeplane:json-gen=package
// +k8s:openapi-gen=true
// +typeplane:roundtrip-gen=true
// +typeplane:roundtrip-gen:fill=fillers
// +typeplane:docs=examples/cluster/docs
// +typeplane:kubernetes
// +groupName=extensions
package v1beta1
