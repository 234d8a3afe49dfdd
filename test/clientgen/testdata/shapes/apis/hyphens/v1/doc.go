// +k8s:deepcopy-gen=package
// +groupName=example-group.hyphens.code-generator.k8s.io
// +groupGoName=ExampleGroup

// Package v1 has kinds.
package v1
