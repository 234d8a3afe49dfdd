package rbac

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/typeplane/typeplane/auth"
)

// Authorizer decides by the roles and bindings of now. Until all of them have been seen once it
// allows nobody anything. It is safe for concurrent use.
type Authorizer struct {
	now atomic.Pointer[Snapshot]

	mu      sync.Mutex // guards what follows
	log     *slog.Logger
	objects [kinds]any // the latest list of each kind; nil: not seen yet
}

var (
	_ auth.Authorizer = (*Authorizer)(nil)
	_ auth.RuleLister = (*Authorizer)(nil)
)

var errNotFilled = errors.New("the roles and bindings have not been read yet")

// Ready fails until every role and binding has been seen.
func (a *Authorizer) Ready(context.Context) error {
	if a.now.Load() == nil {
		return errNotFilled
	}
	return nil
}

// Authorize has an opinion when a role allows the request.
func (a *Authorizer) Authorize(_ context.Context, attributes auth.Attributes) (auth.Decision, string, error) {
	now := a.now.Load()
	if now == nil {
		return auth.NoOpinion, "RBAC: " + errNotFilled.Error(), nil
	}
	if allowed, reason := now.Authorize(attributes); allowed {
		return auth.Allow, reason, nil
	}
	return auth.NoOpinion, "", nil
}

// RulesFor returns what the user may do in a namespace.
func (a *Authorizer) RulesFor(_ context.Context, user *auth.User, namespace string) ([]auth.Rule, bool, error) {
	now := a.now.Load()
	if now == nil {
		return nil, true, errNotFilled
	}
	var rules []auth.Rule
	for _, r := range now.RulesFor(user, namespace) {
		rules = append(rules, auth.Rule{Verbs: r.Verbs, Groups: r.APIGroups, Resources: r.Resources, Names: r.ResourceNames, Paths: r.NonResourceURLs})
	}
	return rules, false, nil
}

// The kinds that a Snapshot is made of, as indexes.
const (
	roles = iota
	clusterRoles
	roleBindings
	clusterRoleBindings
	kinds
)

// set takes the objects of a kind, and makes a new Snapshot when there are some of each.
func (a *Authorizer) set(kind int, list any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.objects[kind] = list
	for _, list := range a.objects {
		if list == nil {
			return
		}
	}
	a.now.Store(NewSnapshot(Objects{
		Roles:               a.objects[roles].([]*rbacv1.Role),
		ClusterRoles:        a.objects[clusterRoles].([]*rbacv1.ClusterRole),
		RoleBindings:        a.objects[roleBindings].([]*rbacv1.RoleBinding),
		ClusterRoleBindings: a.objects[clusterRoleBindings].([]*rbacv1.ClusterRoleBinding),
		Log:                 a.log,
	}))
}
