package rbac

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

// attempts is how often a write is tried against others who write the same, like a second server
// that starts.
const attempts = 10

// Apply makes the roles and bindings of the policy that are missing. To those that are there it
// adds what is missing in them: rules, subjects, labels; it takes nothing away, and it leaves alone
// whatever has the annotation rbac.authorization.kubernetes.io/autoupdate: "false". A binding to
// another role than it should be to is made anew.
func (p Policy) Apply(ctx context.Context, s Sources) error {
	for i := range p.ClusterRoles {
		if err := reconcile(ctx, s.ClusterRoles, &p.ClusterRoles[i], joinRole, sameKind); err != nil {
			return fmt.Errorf("cluster role %q: %w", p.ClusterRoles[i].Name, err)
		}
	}
	for i := range p.ClusterRoleBindings {
		if err := reconcile(ctx, s.ClusterRoleBindings, &p.ClusterRoleBindings[i], joinBinding, sameRole); err != nil {
			return fmt.Errorf("cluster role binding %q: %w", p.ClusterRoleBindings[i].Name, err)
		}
	}
	return nil
}

// object is a role or a binding.
type object[T any] interface {
	*T
	metav1.Object
	rest.Body
	DeepCopy() *T
}

// reconcile brings one object in order. join adds to the first what the second has; fits says that
// they can be joined.
func reconcile[T any, P object[T]](ctx context.Context, r *rest.Resource, want P, join func(have, want P), fits func(have, want P) bool) error {
	name := rest.Name{Name: want.GetName()}
	var err error
	for range attempts {
		var view rest.View
		view, err = r.Get.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			_, err = r.Create.Create(ctx, new(rest.Request), name, P(want.DeepCopy()), metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				continue
			}
			return err
		}
		if err != nil {
			return err
		}
		have := P(new(T))
		if err = rest.Read(view, have); err != nil {
			return err
		}
		if have.GetAnnotations()[rbacv1.AutoUpdateAnnotationKey] == "false" {
			return nil
		}
		if !fits(have, want) {
			uid := have.GetUID()
			_, err = r.Delete.Delete(ctx, new(rest.Request), name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
			if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
				continue
			}
			return err
		}
		next := P(have.DeepCopy())
		next.SetLabels(merge(want.GetLabels(), have.GetLabels()))
		next.SetAnnotations(merge(want.GetAnnotations(), have.GetAnnotations()))
		join(next, want)
		if equal(next, have) {
			return nil
		}
		_, _, err = r.Update.Update(ctx, new(rest.Request), name, next, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return err
}

func joinRole(have, want *rbacv1.ClusterRole) {
	if want.AggregationRule == nil {
		have.AggregationRule = nil
		have.Rules = append(have.Rules, compact(uncovered(have.Rules, want.Rules))...)
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

func joinBinding(have, want *rbacv1.ClusterRoleBinding) {
	for _, subject := range want.Subjects {
		if !slices.Contains(have.Subjects, subject) {
			have.Subjects = append(have.Subjects, subject)
		}
	}
}

func sameKind(_, _ *rbacv1.ClusterRole) bool { return true }

func sameRole(have, want *rbacv1.ClusterRoleBinding) bool { return have.RoleRef == want.RoleRef }

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
