// Package rbac has the roles and bindings of Kubernetes, and the authorizer that decides by
// them. A request is allowed if a role allows it that is bound to the user or to one of the
// user's groups.
//
// Start reading at API. The kinds are in the folder below; role.go and binding.go have their rules.
// Snapshot (snapshot.go) holds the roles and bindings of one moment and answers from them. match.go
// says when a rule is about a request, covers.go when rules give no more than others. Authorizer
// (authorizer.go) is the snapshot of now, which Follow (follow.go) keeps up to date from the four
// resources, by their own lists and watches. ForbidEscalation (escalation.go) refuses writes by
// which somebody would give away more than they have. Bootstrap (bootstrap.go, reconcile.go) makes
// the roles and bindings that every server begins with, before it is ready (bootstrapper.go).
// aggregation.go writes the rules of cluster roles that are made of others.
//
// A decision polls nothing: it reads memory.
//
// +typeplane:apiserver
package rbac

import (
	"context"
	"errors"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

// API returns roles and bindings for a server that asks for them. They decide who may do what as
// soon as all four kinds are served. more are what the server begins with beside Bootstrap.
func API(more ...Policy) typeplane.API {
	api := newAPI()
	api.Controllers = []string{manager}
	api.Extend = func(_ context.Context, h *typeplane.Host) error { return extend(h, more) }
	return api
}

var errHalfRBAC = errors.New("--enable-api: roles, clusterroles, rolebindings and clusterrolebindings decide together who may do what: name all of them, or none")

func extend(h *typeplane.Host, more []Policy) error {
	resource := func(name string) *rest.Resource {
		return h.Resource(schema.GroupVersionResource{Group: rbacv1.GroupName, Version: "v1", Resource: name}, "")
	}
	s := Sources{
		Roles: resource("roles"), ClusterRoles: resource("clusterroles"),
		RoleBindings: resource("rolebindings"), ClusterRoleBindings: resource("clusterrolebindings"),
	}
	if s.Roles == nil || s.ClusterRoles == nil || s.RoleBindings == nil || s.ClusterRoleBindings == nil {
		return errHalfRBAC
	}
	a := new(Authorizer)
	a.ForbidEscalation(s, h.Authorizer)
	h.RBAC = a
	first := &bootstrapper{authorizer: a, log: h.Log}
	h.Readyz = append(h.Readyz, server.Check{Name: "rbac", Check: a.Ready}, server.Check{Name: "rbac/bootstrap-roles", Check: first.Ready})
	h.Go(func(ctx context.Context) { a.Follow(ctx, s, h.Log) })
	if h.Controls(manager) {
		h.Go(newAggregator(*s.ClusterRoles, h.Log).run)
	}
	h.Go(func(ctx context.Context) {
		policy := Bootstrap(h.Served()).and(more)
		first.run(ctx, policy, func(ctx context.Context) error { return policy.Apply(ctx, s) })
	})
	return nil
}
