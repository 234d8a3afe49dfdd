// Package rbac has the rules of roles and bindings, as Kubernetes has them, and joins them with
// their kinds, which are in the folder below, to what servers can serve: API. What roles allow is
// decided in package server/auth/rbac.
//
// +typeplane:apiserver
package rbac
