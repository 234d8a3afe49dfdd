// Package v1 is the first stable API of the autoscaler: it scales by one number, the CPU's
// utilization.
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
package v1
