// +k8s:deepcopy-gen=package
// +groupName=

// Package v1 has kinds.
package v1
