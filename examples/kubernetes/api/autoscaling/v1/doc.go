// Package v1 serves autoscalers as they were when they had one metric, the CPU's utilization.
//
// The types are aliases of those in k8s.io/api. See package core/v1 for how.
//
// +groupName=autoscaling
// +typeplane:conversion:lossless
// +k8s:conversion-gen=github.com/typeplane/typeplane/examples/kubernetes/api/autoscaling/v2
// +k8s:protobuf-gen=package
package v1
