package lease

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// LeaseStrategy holds the rules of leases, and their columns.
type LeaseStrategy struct{}

// Validate says what is wrong with a lease.
func (LeaseStrategy) Validate(_ context.Context, lease *coordinationv1.Lease) field.ErrorList {
	spec, path := &lease.Spec, field.NewPath("spec")
	var errs field.ErrorList
	if d := spec.LeaseDurationSeconds; d != nil && *d <= 0 {
		errs = append(errs, field.Invalid(path.Child("leaseDurationSeconds"), *d, "must be greater than 0"))
	}
	if n := spec.LeaseTransitions; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(path.Child("leaseTransitions"), *n, "must be greater than or equal to 0"))
	}
	if spec.Strategy != nil && *spec.Strategy == "" {
		errs = append(errs, field.Invalid(path.Child("strategy"), *spec.Strategy, "must be a non-empty strategy"))
	}
	if spec.PreferredHolder != nil && *spec.PreferredHolder != "" && (spec.Strategy == nil || *spec.Strategy == "") {
		errs = append(errs, field.Forbidden(path.Child("preferredHolder"), "may only be specified when `strategy` is defined"))
	}
	return errs
}

// AllowCreateOnUpdate: who wants to lead writes its claim, whether there was one or not.
func (LeaseStrategy) AllowCreateOnUpdate() bool { return true }

// AllowUnconditionalUpdate: nobody takes a lease without having seen it.
func (LeaseStrategy) AllowUnconditionalUpdate() bool { return false }

// HasGeneration: Kubernetes does not count their changes.
func (LeaseStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of leases.
func (LeaseStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Holder", Type: "string", Description: "Who has the lease."},
		{Name: "Age", Type: "date", Description: "The time since the lease was created."},
	}
}

// Cells fills the columns for one lease.
func (LeaseStrategy) Cells(lease *coordinationv1.Lease) []any {
	holder := ""
	if lease.Spec.HolderIdentity != nil {
		holder = *lease.Spec.HolderIdentity
	}
	return []any{holder, lease.CreationTimestamp}
}
