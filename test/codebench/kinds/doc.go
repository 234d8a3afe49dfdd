// Package kinds has the four kinds that generated code is measured on, as a server has kinds of
// another module: as aliases, for whose types the functions are printed here.
//
// +groupName=codebench.typeplane.dev
// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +typeplane:json-gen=package
package kinds
