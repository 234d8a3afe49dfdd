// +k8s:deepcopy-gen=package
// +groupName=example.crd.code-generator.k8s.io

// Package v1 has kinds.
package v1
