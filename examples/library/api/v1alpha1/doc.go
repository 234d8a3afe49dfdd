// Package v1alpha1 is the library's first API, still served for those who began with it: a book had
// one line for all its authors then.
//
// +k8s:conversion-gen=github.com/typeplane/typeplane/examples/library/api
// +typeplane:conversion:lossless
// +k8s:protobuf-gen=package
// +typeplane:roundtrip-gen=true
// +typeplane:docs=examples/library/docs
// +groupName=library.example.com
package v1alpha1
