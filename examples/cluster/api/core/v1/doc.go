// Package v1 serves pods, replication controllers, persistent volumes and claims as Kubernetes has
// them.
//
// The types are aliases of those in k8s.io/api, which brings their copying, protobuf and JSON. The
// markers here say how they are served. The functions in defaults*.go say what a field becomes that
// a client left out. The server works with these very types: there are no others to convert to.
//
// +typeplane:docs=examples/cluster/docs
// +groupName=
// +typeplane:json-gen=package
// +typeplane:fieldset-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
package v1
