// Package v1 has the schema of what is sent to service accounts to get a token, whose type is that
// of k8s.io/api.
//
// +groupName=authentication.k8s.io
// +k8s:openapi-gen=true
package v1
