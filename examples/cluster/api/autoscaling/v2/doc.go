// Package v2 is the API of the autoscaler: it scales by any number of metrics, as fast as it is
// told. Autoscalers are stored in this version.
//
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:conversion-gen=github.com/typeplane/typeplane/examples/cluster/api/autoscaling
// +typeplane:conversion:lossless
// +k8s:protobuf-gen=package
// +typeplane:json-gen=package
// +k8s:openapi-gen=true
// +typeplane:roundtrip-gen=true
// +typeplane:docs=examples/cluster/docs
// +typeplane:kubernetes
// +groupName=autoscaling
package v2
