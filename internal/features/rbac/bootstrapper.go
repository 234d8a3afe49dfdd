package rbac

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/typeplane/typeplane/internal/wait"
)

const (
	// retryBootstrap is the pause after a policy could not be made, for instance because etcd does
	// not answer.
	retryBootstrap = time.Second
	// seeBootstrap bounds the wait until the authorizer has seen what was made. Somebody may have
	// deleted a part of it at once.
	seeBootstrap = 5 * time.Second
	lookAgain    = 2 * time.Millisecond
)

var errNotBootstrapped = errors.New("the bootstrap roles have not been made yet")

// bootstrapper makes the roles that every server begins with. A server is ready only when the
// authorizer decides by them, since a user who comes first would be refused what everybody may do.
type bootstrapper struct {
	authorizer *Authorizer
	log        *slog.Logger
	done       atomic.Bool
}

// Ready fails until the bootstrap roles are in effect. Those that are deleted later are not missed.
func (b *bootstrapper) Ready(context.Context) error {
	if !b.done.Load() {
		return errNotBootstrapped
	}
	return nil
}

// run calls apply until it succeeds, and waits until the authorizer has seen the policy.
func (b *bootstrapper) run(ctx context.Context, policy Policy, apply func(context.Context) error) {
	for {
		err := apply(ctx)
		if err == nil {
			break
		}
		if ctx.Err() == nil {
			b.log.Error("the bootstrap roles could not be made; it is tried again", "error", err)
		}
		if wait.Sleep(ctx, retryBootstrap) != nil {
			return
		}
	}
	for end := time.Now().Add(seeBootstrap); !b.authorizer.has(policy) && time.Now().Before(end); {
		if wait.Sleep(ctx, lookAgain) != nil {
			return
		}
	}
	b.done.Store(true)
}

// has says that the roles and bindings of a policy are among those that the Authorizer decides by.
func (a *Authorizer) has(p Policy) bool {
	now := a.now.Load()
	if now == nil {
		return false
	}
	for i := range p.ClusterRoles {
		if _, ok := now.clusterRoles[p.ClusterRoles[i].Name]; !ok {
			return false
		}
	}
	for i := range p.Roles {
		if now.roles[key{p.Roles[i].Namespace, p.Roles[i].Name}] == nil {
			return false
		}
	}
	if slices.ContainsFunc(p.RoleBindings, func(want rbacv1.RoleBinding) bool {
		return !slices.ContainsFunc(now.roleBindings[want.Namespace], func(have *rbacv1.RoleBinding) bool { return have.Name == want.Name })
	}) {
		return false
	}
	return !slices.ContainsFunc(p.ClusterRoleBindings, func(want rbacv1.ClusterRoleBinding) bool {
		return !slices.ContainsFunc(now.clusterBindings, func(have *rbacv1.ClusterRoleBinding) bool { return have.Name == want.Name })
	})
}
