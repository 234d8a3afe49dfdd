// +k8s:deepcopy-gen=package
// +groupName=example.test.crd.code-generator.k8s.io
// +groupGoName=SecondExample

// Package v1 has kinds.
package v1
