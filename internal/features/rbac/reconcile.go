package rbac

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/features/internal/ensure"
	"github.com/typeplane/typeplane/registry/rest"
)

// Apply makes the roles and bindings of the policy that are missing. To those that are there it
// adds what is missing in them: rules, subjects, labels; it takes nothing away, and it leaves alone
// whatever has the annotation rbac.authorization.kubernetes.io/autoupdate: "false". A binding to
// another role than it should be to is made anew.
func (p Policy) Apply(ctx context.Context, s Sources) error {
	for i := range p.ClusterRoles {
		if err := reconcile(ctx, s.ClusterRoles, &p.ClusterRoles[i], joinRole, anyClusterRole); err != nil {
			return fmt.Errorf("cluster role %q: %w", p.ClusterRoles[i].Name, err)
		}
	}
	for i := range p.ClusterRoleBindings {
		if err := reconcile(ctx, s.ClusterRoleBindings, &p.ClusterRoleBindings[i], joinClusterBinding, sameClusterRole); err != nil {
			return fmt.Errorf("cluster role binding %q: %w", p.ClusterRoleBindings[i].Name, err)
		}
	}
	for i := range p.Roles {
		role := &p.Roles[i]
		if err := reconcile(ctx, s.Roles, role, joinRules, anyRole); err != nil {
			return fmt.Errorf("role %q in namespace %q: %w", role.Name, role.Namespace, err)
		}
	}
	for i := range p.RoleBindings {
		binding := &p.RoleBindings[i]
		if err := reconcile(ctx, s.RoleBindings, binding, joinBinding, sameRole); err != nil {
			return fmt.Errorf("role binding %q in namespace %q: %w", binding.Name, binding.Namespace, err)
		}
	}
	return nil
}

// reconcile brings one object in order. join adds to the first what the second has; fits says that
// they can be joined.
func reconcile[T any, P ensure.Pointer[T]](ctx context.Context, r *rest.Resource, want P, join func(have, want P), fits func(have, want P) bool) error {
	return ensure.Object(ctx, r, want, func(have P) error {
		switch {
		case have.GetAnnotations()[rbacv1.AutoUpdateAnnotationKey] == "false":
			return nil
		case !fits(have, want):
			return ensure.ErrAnew
		}
		have.SetLabels(merge(want.GetLabels(), have.GetLabels()))
		have.SetAnnotations(merge(want.GetAnnotations(), have.GetAnnotations()))
		join(have, want)
		return nil
	})
}

func joinRole(have, want *rbacv1.ClusterRole) {
	if want.AggregationRule == nil {
		have.AggregationRule = nil
		have.Rules = joined(have.Rules, want.Rules)
		return
	}
	if have.AggregationRule == nil {
		have.AggregationRule = &rbacv1.AggregationRule{}
	}
	for _, selector := range want.AggregationRule.ClusterRoleSelectors {
		if !slices.ContainsFunc(have.AggregationRule.ClusterRoleSelectors, func(s metav1.LabelSelector) bool { return equal(s, selector) }) {
			have.AggregationRule.ClusterRoleSelectors = append(have.AggregationRule.ClusterRoleSelectors, selector)
		}
	}
}

func joinRules(have, want *rbacv1.Role) { have.Rules = joined(have.Rules, want.Rules) }

func joinClusterBinding(have, want *rbacv1.ClusterRoleBinding) {
	have.Subjects = withSubjects(have.Subjects, want.Subjects)
}

func joinBinding(have, want *rbacv1.RoleBinding) {
	have.Subjects = withSubjects(have.Subjects, want.Subjects)
}

func joined(have, want []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	return append(have, compact(uncovered(have, want))...)
}

func withSubjects(have, want []rbacv1.Subject) []rbacv1.Subject {
	for _, subject := range want {
		if !slices.Contains(have, subject) {
			have = append(have, subject)
		}
	}
	return have
}

func anyClusterRole(_, _ *rbacv1.ClusterRole) bool { return true }

func anyRole(_, _ *rbacv1.Role) bool { return true }

func sameClusterRole(have, want *rbacv1.ClusterRoleBinding) bool { return have.RoleRef == want.RoleRef }

func sameRole(have, want *rbacv1.RoleBinding) bool { return have.RoleRef == want.RoleRef }

// merge lets later values win.
func merge(first, later map[string]string) map[string]string {
	if len(first) == 0 {
		return later
	}
	out := maps.Clone(first)
	maps.Copy(out, later)
	return out
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
