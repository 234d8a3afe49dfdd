package rbac

import (
	"context"
	"log/slog"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/registry/rest"
)

// Sources are the four resources, in rbac.authorization.k8s.io/v1.
type Sources struct {
	Roles, ClusterRoles, RoleBindings, ClusterRoleBindings *rest.Resource
}

// Follow keeps the Authorizer up to date until ctx ends: it follows each of the resources, all
// namespaces of them. It must run once.
func (a *Authorizer) Follow(ctx context.Context, s Sources, log *slog.Logger) {
	a.mu.Lock()
	a.log = log
	a.mu.Unlock()
	var all sync.WaitGroup
	all.Go(func() {
		follow.Keep(ctx, s.Roles, log, func(l []*rbacv1.Role) { a.set(roles, l) })
	})
	all.Go(func() {
		follow.Keep(ctx, s.ClusterRoles, log, func(l []*rbacv1.ClusterRole) { a.set(clusterRoles, l) })
	})
	all.Go(func() {
		follow.Keep(ctx, s.RoleBindings, log, func(l []*rbacv1.RoleBinding) { a.set(roleBindings, l) })
	})
	all.Go(func() {
		follow.Keep(ctx, s.ClusterRoleBindings, log, func(l []*rbacv1.ClusterRoleBinding) { a.set(clusterRoleBindings, l) })
	})
	all.Wait()
}
