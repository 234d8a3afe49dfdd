package rbac

import (
	"context"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/registry/rest"
)

// RoleBindingStrategy holds the rules of role bindings, and their columns.
type RoleBindingStrategy struct{ strategy.Uncounted }

// ValidateName says what is wrong with a name.
func (RoleBindingStrategy) ValidateName(name string, prefix bool) []string {
	return validateName(name, prefix)
}

// Validate says what is wrong with a role binding.
func (RoleBindingStrategy) Validate(_ context.Context, b *rbacv1.RoleBinding) field.ErrorList {
	return validateBinding(b.RoleRef, b.Subjects, "Role", "ClusterRole")
}

// ValidateUpdate says what is wrong with a changed role binding.
func (s RoleBindingStrategy) ValidateUpdate(ctx context.Context, b, old *rbacv1.RoleBinding) field.ErrorList {
	return append(s.Validate(ctx, b), validateSameRole(b.RoleRef, old.RoleRef)...)
}

// Columns are what kubectl get shows of role bindings.
func (RoleBindingStrategy) Columns() []metav1.TableColumnDefinition { return bindingColumns() }

// Cells fills the columns for one role binding.
func (RoleBindingStrategy) Cells(b *rbacv1.RoleBinding) []any {
	return bindingCells(b, b.RoleRef, b.Subjects)
}

// ClusterRoleBindingStrategy holds the rules of cluster role bindings, and their columns.
type ClusterRoleBindingStrategy struct{ strategy.Uncounted }

// ValidateName says what is wrong with a name.
func (ClusterRoleBindingStrategy) ValidateName(name string, prefix bool) []string {
	return validateName(name, prefix)
}

// Validate says what is wrong with a cluster role binding. Its service accounts must say where they
// are.
func (ClusterRoleBindingStrategy) Validate(_ context.Context, b *rbacv1.ClusterRoleBinding) field.ErrorList {
	errs := validateBinding(b.RoleRef, b.Subjects, "ClusterRole")
	for i, s := range rest.WhileFew(&errs, slices.All(b.Subjects)) {
		if s.Kind == rbacv1.ServiceAccountKind && s.Namespace == "" {
			errs = append(errs, field.Required(field.NewPath("subjects").Index(i).Child("namespace"), ""))
		}
	}
	return errs
}

// ValidateUpdate says what is wrong with a changed cluster role binding.
func (s ClusterRoleBindingStrategy) ValidateUpdate(ctx context.Context, b, old *rbacv1.ClusterRoleBinding) field.ErrorList {
	return append(s.Validate(ctx, b), validateSameRole(b.RoleRef, old.RoleRef)...)
}

// Columns are what kubectl get shows of cluster role bindings.
func (ClusterRoleBindingStrategy) Columns() []metav1.TableColumnDefinition { return bindingColumns() }

// Cells fills the columns for one cluster role binding.
func (ClusterRoleBindingStrategy) Cells(b *rbacv1.ClusterRoleBinding) []any {
	return bindingCells(b, b.RoleRef, b.Subjects)
}

// sameRole: who may bind one role could otherwise turn a binding of it into one of another.
func validateSameRole(ref, old rbacv1.RoleRef) field.ErrorList {
	if ref == old {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("roleRef"), ref, "cannot change roleRef")}
}

func validateBinding(ref rbacv1.RoleRef, subjects []rbacv1.Subject, kinds ...string) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("roleRef")
	if ref.APIGroup != rbacv1.GroupName {
		errs = append(errs, field.NotSupported(path.Child("apiGroup"), ref.APIGroup, []string{rbacv1.GroupName}))
	}
	if !slices.Contains(kinds, ref.Kind) {
		errs = append(errs, field.NotSupported(path.Child("kind"), ref.Kind, kinds))
	}
	if ref.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	for _, problem := range pathSegment(ref.Name) {
		errs = append(errs, field.Invalid(path.Child("name"), ref.Name, problem))
	}
	for i := range rest.WhileFew(&errs, slices.All(subjects)) {
		errs = append(errs, validateSubject(&subjects[i], field.NewPath("subjects").Index(i))...)
	}
	return errs
}

func validateSubject(s *rbacv1.Subject, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	group := rbacv1.GroupName
	switch s.Kind {
	case rbacv1.UserKind, rbacv1.GroupKind:
	case rbacv1.ServiceAccountKind:
		group = ""
		if s.Name == "" {
			break
		}
		for _, problem := range validation.ValidateServiceAccountName(s.Name, false) {
			errs = append(errs, field.Invalid(path.Child("name"), s.Name, problem))
		}
	default:
		return append(errs, field.NotSupported(path.Child("kind"), s.Kind, []string{rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind}))
	}
	if s.APIGroup != group {
		errs = append(errs, field.NotSupported(path.Child("apiGroup"), s.APIGroup, []string{group}))
	}
	return errs
}

func bindingColumns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Role", Type: "string", Description: "The role that is bound."},
		{Name: "Age", Type: "date", Description: "The time since the binding was created."},
		{Name: "Users", Type: "string", Priority: 1, Description: "The users whom it is bound to."},
		{Name: "Groups", Type: "string", Priority: 1, Description: "The groups which it is bound to."},
		{Name: "ServiceAccounts", Type: "string", Priority: 1, Description: "The service accounts which it is bound to."},
	}
}

func bindingCells(b metav1.Object, ref rbacv1.RoleRef, subjects []rbacv1.Subject) []any {
	names := map[string][]string{}
	for _, s := range subjects {
		name := s.Name
		if s.Kind == rbacv1.ServiceAccountKind {
			name = s.Namespace + "/" + s.Name
		}
		names[s.Kind] = append(names[s.Kind], name)
	}
	list := func(kind string) string { return strings.Join(names[kind], ", ") }
	return []any{ref.Kind + "/" + ref.Name, b.GetCreationTimestamp(), list(rbacv1.UserKind), list(rbacv1.GroupKind), list(rbacv1.ServiceAccountKind)}
}
