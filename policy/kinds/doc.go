// Package kinds has the rules and columns of admission policies and their bindings, as Kubernetes
// has them. API joins them with the kinds, which are in the folder below. A server that serves them
// enforces them, too, so programs take them from the package above. Start reading at API. The rules
// for expressions are those of package expression, which compiles them.
//
// +typeplane:apiserver
package kinds
