package features

import (
	"context"
	"errors"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/auth/rbac"
	"github.com/typeplane/typeplane/control/clusterrole"
	rbacapi "github.com/typeplane/typeplane/features/rbac"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

// rbacAPI is roles and bindings, which decide who may do what as soon as all four kinds are served.
func rbacAPI() typeplane.API {
	api := rbacapi.API()
	api.Extend = extendRBAC
	return api
}

var errHalfRBAC = errors.New("--enable-api: roles, clusterroles, rolebindings and clusterrolebindings decide together who may do what: name all of them, or none")

func extendRBAC(_ context.Context, h *typeplane.Host) error {
	resource := func(name string) *rest.Resource {
		return h.Resource(schema.GroupVersionResource{Group: rbacv1.GroupName, Version: "v1", Resource: name}, "")
	}
	s := rbac.Sources{
		Roles: resource("roles"), ClusterRoles: resource("clusterroles"),
		RoleBindings: resource("rolebindings"), ClusterRoleBindings: resource("clusterrolebindings"),
	}
	if s.Roles == nil || s.ClusterRoles == nil || s.RoleBindings == nil || s.ClusterRoleBindings == nil {
		return errHalfRBAC
	}
	a := new(rbac.Authorizer)
	a.Guard(s, h.Authorizer)
	s = s.Copy() // h.Resources moves when it grows
	h.RBAC = a
	h.Readyz = append(h.Readyz, server.Check{Name: "rbac", Check: a.Ready})
	h.Go(func(ctx context.Context) { a.Follow(ctx, s, h.Log) })
	h.Go(clusterrole.New(*s.ClusterRoles, h.Log).Run)
	h.Go(func(ctx context.Context) {
		if err := rbac.Bootstrap(h.Resources).Apply(ctx, s); err != nil && ctx.Err() == nil {
			h.Log.Error("the bootstrap roles could not be made", "error", err)
		}
	})
	return nil
}
