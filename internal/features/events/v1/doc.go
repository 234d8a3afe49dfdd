// Package v1 serves events in the group events.k8s.io. They are those of the core group under other
// names: package events above converts.
//
// +groupName=events.k8s.io
// +typeplane:json-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
package v1
