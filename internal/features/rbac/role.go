package rbac

import (
	"context"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/registry/rest"
)

// RoleStrategy holds the rules of roles, and their columns.
type RoleStrategy struct{ strategy.Uncounted }

// ValidateName says what is wrong with a name.
func (RoleStrategy) ValidateName(name string, prefix bool) []string {
	return validateName(name, prefix)
}

// Validate says what is wrong with a role.
func (RoleStrategy) Validate(_ context.Context, role *rbacv1.Role) field.ErrorList {
	return validateRules(role.Rules, true)
}

// Columns are what kubectl get shows of roles.
func (RoleStrategy) Columns() []metav1.TableColumnDefinition { return createdColumns() }

// Cells fills the columns for one role.
func (RoleStrategy) Cells(role *rbacv1.Role) []any { return []any{created(role)} }

// ClusterRoleStrategy holds the rules of cluster roles, and their columns.
type ClusterRoleStrategy struct{ strategy.Uncounted }

// ValidateName says what is wrong with a name.
func (ClusterRoleStrategy) ValidateName(name string, prefix bool) []string {
	return validateName(name, prefix)
}

// Validate says what is wrong with a cluster role.
func (ClusterRoleStrategy) Validate(_ context.Context, role *rbacv1.ClusterRole) field.ErrorList {
	errs := validateRules(role.Rules, false)
	if role.AggregationRule == nil {
		return errs
	}
	path := field.NewPath("aggregationRule", "clusterRoleSelectors")
	if len(role.AggregationRule.ClusterRoleSelectors) == 0 {
		errs = append(errs, field.Required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
	}
	for i := range role.AggregationRule.ClusterRoleSelectors {
		selector := &role.AggregationRule.ClusterRoleSelectors[i]
		errs = append(errs, validateSelector(selector, path.Index(i))...)
	}
	return errs
}

// Columns are what kubectl get shows of cluster roles.
func (ClusterRoleStrategy) Columns() []metav1.TableColumnDefinition { return createdColumns() }

// Cells fills the columns for one cluster role.
func (ClusterRoleStrategy) Cells(role *rbacv1.ClusterRole) []any { return []any{created(role)} }

// validateRules says what is wrong with the rules of a role; namespaced means that it is in a
// namespace.
func validateRules(rules []rbacv1.PolicyRule, namespaced bool) field.ErrorList {
	var errs field.ErrorList
	for i := range rest.WhileFew(&errs, slices.All(rules)) {
		errs = append(errs, validateRule(&rules[i], namespaced, field.NewPath("rules").Index(i))...)
	}
	return errs
}

func validateRule(r *rbacv1.PolicyRule, namespaced bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(r.NonResourceURLs) > 0 {
		if namespaced {
			errs = append(errs, field.Invalid(path.Child("nonResourceURLs"), r.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs"))
		}
		if len(r.APIGroups) > 0 || len(r.Resources) > 0 || len(r.ResourceNames) > 0 {
			errs = append(errs, field.Invalid(path.Child("nonResourceURLs"), r.NonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"))
		}
		return errs
	}
	if len(r.APIGroups) == 0 {
		errs = append(errs, field.Required(path.Child("apiGroups"), "resource rules must supply at least one api group"))
	}
	if len(r.Resources) == 0 {
		errs = append(errs, field.Required(path.Child("resources"), "resource rules must supply at least one resource"))
	}
	return errs
}
