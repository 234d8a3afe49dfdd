// Package rbac decides by roles and bindings, as Kubernetes does: everything is forbidden that no
// role allows which is bound to the user or to one of their groups.
//
// Start reading at Snapshot (snapshot.go), which holds the roles and bindings of one moment and
// answers from them; match.go says when a rule is about a request, covers.go when rules give no
// more than others. Authorizer (authorizer.go) is the snapshot of now, which Follow (follow.go)
// keeps up to date from the four resources, by their own lists and watches. Guard (guard.go)
// refuses writes by which somebody would give away more than they have. Bootstrap (bootstrap.go,
// reconcile.go) makes the roles and bindings that every server begins with.
//
// The package stores nothing, and it polls nothing: a decision reads memory.
package rbac
