// Package v1 serves namespaces as Kubernetes has them.
//
// The types are aliases of those in k8s.io/api, which brings their copying, protobuf and JSON. The
// markers here say how they are served. defaults.go says what a field becomes that a client left
// out. The rules are in the package above. The server works with these very types: there are no
// others to convert to.
//
// +groupName=
// +typeplane:json-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
package v1
