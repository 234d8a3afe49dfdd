package rbac

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// ForbidEscalation puts itself before the verbs that write roles and bindings: nobody gives away
// what they don't have. Whoever writes a role needs every right in it, or the verb escalate on it.
// Whoever binds one needs every right of the role, or the verb bind on it. Members of
// system:masters and the server itself may do both. authorizer is that of the server.
func (a *Authorizer) ForbidEscalation(s Sources, authorizer auth.Authorizer) {
	g := &escalation{rules: a, authorizer: authorizer, getRole: s.Roles.Get, getClusterRole: s.ClusterRoles.Get}
	for _, r := range []*rest.Resource{s.Roles, s.ClusterRoles, s.RoleBindings, s.ClusterRoleBindings} {
		r.Create, r.Update, r.Patch = escalationCreator{r.Create, g}, escalationUpdater{r.Update, g}, escalationPatcher{r.Patch, g}
	}
}

type escalation struct {
	rules                   *Authorizer
	authorizer              auth.Authorizer
	getRole, getClusterRole rest.Getter
}

type escalationCreator struct {
	rest.Creator
	*escalation
}

func (c escalationCreator) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	return c.Creator.Create(ctx, req.With(c.check), name, obj, opts)
}

type escalationUpdater struct {
	rest.Updater
	*escalation
}

func (u escalationUpdater) Update(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.UpdateOptions) (rest.View, bool, error) {
	return u.Updater.Update(ctx, req.With(u.check), name, obj, opts)
}

type escalationPatcher struct {
	rest.Patcher
	*escalation
}

func (p escalationPatcher) Patch(ctx context.Context, req *rest.Request, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (rest.View, bool, error) {
	return p.Patcher.Patch(ctx, req.With(p.check), name, patch, opts)
}

// check is a rest.Check.
func (g *escalation) check(ctx context.Context, obj, old rest.Body) error {
	user := auth.UserFrom(ctx)
	if user == nil || user.In(auth.GroupMasters) || old != nil && onlyCollects(obj, old) {
		return nil
	}
	switch obj := obj.(type) {
	case *rbacv1.Role:
		return g.checkRole(ctx, user, "roles", obj, obj.Rules, false)
	case *rbacv1.ClusterRole:
		was, _ := old.(*rbacv1.ClusterRole)
		return g.checkRole(ctx, user, "clusterroles", obj, obj.Rules, aggregates(obj) || was != nil && aggregates(was))
	case *rbacv1.RoleBinding:
		return g.checkBinding(ctx, user, "rolebindings", obj, obj.RoleRef)
	case *rbacv1.ClusterRoleBinding:
		return g.checkBinding(ctx, user, "clusterrolebindings", obj, obj.RoleRef)
	}
	return nil
}

// onlyCollects says that a write changes owners and finalizers alone, as a garbage collector does.
func onlyCollects(obj, old rest.Body) bool {
	now, was := obj.DeepCopyObject(), old.DeepCopyObject()
	for _, o := range []apiruntime.Object{now, was} {
		meta := o.(metav1.Object)
		meta.SetOwnerReferences(nil)
		meta.SetFinalizers(nil)
		meta.SetManagedFields(nil)
		meta.SetResourceVersion("")
	}
	return equal(now, was)
}

// aggregates says that a role gathers the rules of others. It may come to any rules at all.
func aggregates(r *rbacv1.ClusterRole) bool {
	return r.AggregationRule != nil && len(r.AggregationRule.ClusterRoleSelectors) > 0
}

func (g *escalation) checkRole(ctx context.Context, user *auth.User, resource string, role metav1.Object, rules []rbacv1.PolicyRule, gathers bool) error {
	may, err := g.allows(ctx, user, "escalate", resource, role.GetNamespace(), role.GetName())
	if err != nil || may {
		return err
	}
	if err := g.cover(ctx, user, role.GetNamespace(), rules); err != nil {
		return refused(resource, role.GetName(), err)
	}
	if gathers && g.cover(ctx, user, "", allRules()) != nil {
		return refused(resource, role.GetName(), errors.New("must have cluster-admin privileges to use the aggregationRule"))
	}
	return nil
}

func (g *escalation) checkBinding(ctx context.Context, user *auth.User, resource string, binding metav1.Object, ref rbacv1.RoleRef) error {
	roles := map[string]string{"Role": "roles", "ClusterRole": "clusterroles"}[ref.Kind]
	if roles == "" || ref.APIGroup != rbacv1.GroupName || ref.Name == "" {
		return nil // validation has a word for it
	}
	may, err := g.allows(ctx, user, "bind", roles, binding.GetNamespace(), ref.Name)
	if err != nil || may {
		return err
	}
	rules, err := g.rulesOf(ctx, ref, binding.GetNamespace())
	if err != nil {
		return err
	}
	if err := g.cover(ctx, user, binding.GetNamespace(), rules); err != nil {
		return refused(resource, binding.GetName(), err)
	}
	return nil
}

// rulesOf reads a role as it is at this moment: the snapshot may not have seen the last write. What
// a role gathers is as new as the snapshot.
func (g *escalation) rulesOf(ctx context.Context, ref rbacv1.RoleRef, namespace string) ([]rbacv1.PolicyRule, error) {
	if ref.Kind == "Role" {
		view, err := g.getRole.Get(ctx, rest.Name{Namespace: namespace, Name: ref.Name}, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		var role rbacv1.Role
		err = rest.Read(view, &role)
		return role.Rules, err
	}
	view, err := g.getClusterRole.Get(ctx, rest.Name{Name: ref.Name}, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var role rbacv1.ClusterRole
	if err := rest.Read(view, &role); err != nil || !aggregates(&role) {
		return role.Rules, err
	}
	now := g.rules.now.Load()
	if now == nil {
		return nil, apierrors.NewServiceUnavailable(errNotFilled.Error())
	}
	rules, _ := now.roleRules(ref, "")
	return rules, nil
}

func (g *escalation) allows(ctx context.Context, user *auth.User, verb, resource, namespace, name string) (bool, error) {
	decision, _, err := g.authorizer.Authorize(ctx, auth.Attributes{
		User: user, Verb: verb, Group: rbacv1.GroupName, Version: "*", Resource: resource, Namespace: namespace, Name: name, IsResource: true,
	})
	if decision == auth.Allow {
		return true, nil
	}
	return false, err
}

// cover returns an error that names what of rules the user does not have.
func (g *escalation) cover(_ context.Context, user *auth.User, namespace string, rules []rbacv1.PolicyRule) error {
	now := g.rules.now.Load()
	if now == nil {
		return errNotFilled
	}
	have := now.RulesFor(user, namespace)
	rules = plain(have, rules)
	if parts(rules) > maxParts {
		return fmt.Errorf("its rules stand for more than %d combinations of a verb, an API group, a resource and a name, which are too many "+
			"to compare with the permissions of user %q: make several roles of it", maxParts, user.Name)
	}
	missing := compact(uncovered(have, rules))
	if len(missing) == 0 {
		return nil
	}
	var lines []string
	for i := range missing {
		lines = append(lines, describe(&missing[i]))
	}
	slices.Sort(lines)
	if more := len(lines) - rest.MaxViolations; more > 0 {
		lines = append(lines[:rest.MaxViolations], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s", user.Name, user.Groups, strings.Join(lines, "\n"))
}

func refused(resource, name string, err error) error {
	return apierrors.NewForbidden(schema.GroupResource{Group: rbacv1.GroupName, Resource: resource}, name, err)
}
