// Package v1 is the library's stable API.
//
// +k8s:conversion-gen=github.com/typeplane/typeplane/examples/library/api
// +k8s:protobuf-gen=package
// +typeplane:roundtrip-gen=true
// +typeplane:docs=examples/library/docs
// +typeplane:typescript=examples/library/docs/v1.ts
// +groupName=library.example.com
package v1
