// Package core has the rules and columns of namespaces, secrets, config maps, service accounts,
// limit ranges and quotas, as Kubernetes has them, and joins them with their kinds, which are in
// the folder below, to what servers can serve: API. It never runs a server itself.
//
// +typeplane:apiserver
package core
