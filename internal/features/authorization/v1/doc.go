// Package v1 has the schemas of the reviews of authorization.k8s.io/v1, whose types are those of
// k8s.io/api.
//
// +groupName=authorization.k8s.io
// +k8s:openapi-gen=true
package v1
