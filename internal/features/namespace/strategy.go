package namespace

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// NamespaceStrategy holds the rules of namespaces, and their columns. A namespace is there until it
// is empty: that is what its spec.finalizers are for, which the controller takes off.
type NamespaceStrategy struct{}

// StatusMetadata: a write of the status writes labels and annotations, too, as in Kubernetes.
func (NamespaceStrategy) StatusMetadata() bool { return true }

// PrepareForCreate makes a namespace an active one that has to be emptied before it can go.
func (NamespaceStrategy) PrepareForCreate(_ context.Context, ns *corev1.Namespace) {
	ns.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
	if !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
		ns.Spec.Finalizers = append(ns.Spec.Finalizers, corev1.FinalizerKubernetes)
	}
}

// PrepareForUpdate keeps what only the finalize subresource changes.
func (NamespaceStrategy) PrepareForUpdate(_ context.Context, ns, old *corev1.Namespace) {
	ns.Spec.Finalizers = old.Spec.Finalizers
}

// Validate says what is wrong with the finalizers of a namespace; a spec has nothing else.
func (NamespaceStrategy) Validate(_ context.Context, ns *corev1.Namespace) field.ErrorList {
	var errs field.ErrorList
	for i, f := range rest.WhileFew(&errs, slices.All(ns.Spec.Finalizers)) {
		path := field.NewPath("spec", "finalizers").Index(i)
		for _, message := range utilvalidation.IsQualifiedName(string(f)) {
			errs = append(errs, field.Invalid(path, f, message))
		}
		if len(errs) == 0 && f != corev1.FinalizerKubernetes && !slices.Contains([]byte(f), '/') {
			errs = append(errs, field.Invalid(path, f, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

// ValidateStatusUpdate keeps phase and deletion together.
func (NamespaceStrategy) ValidateStatusUpdate(_ context.Context, ns, _ *corev1.Namespace) field.ErrorList {
	path := field.NewPath("status", "phase")
	switch {
	case ns.DeletionTimestamp == nil && ns.Status.Phase != corev1.NamespaceActive:
		return field.ErrorList{field.Invalid(path, ns.Status.Phase, "may only be 'Active' if `deletionTimestamp` is empty")}
	case ns.DeletionTimestamp != nil && ns.Status.Phase != corev1.NamespaceTerminating:
		return field.ErrorList{field.Invalid(path, ns.Status.Phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")}
	}
	return nil
}

// PrepareForDelete says that the namespace is on its way out.
func (NamespaceStrategy) PrepareForDelete(ns *corev1.Namespace) {
	ns.Status.Phase = corev1.NamespaceTerminating
}

// Held: a namespace stays while somebody has to empty it.
func (NamespaceStrategy) Held(ns *corev1.Namespace) bool { return len(ns.Spec.Finalizers) > 0 }

// Finalize is how those who emptied it say so.
func (NamespaceStrategy) Finalize(from, to *corev1.Namespace) {
	to.Spec.Finalizers = from.Spec.Finalizers
}

// ValidateName: a namespace is a label in the names of what is inside of it.
func (NamespaceStrategy) ValidateName(name string, prefix bool) []string {
	return validation.NameIsDNSLabel(name, prefix)
}

// HasGeneration: Kubernetes does not count their changes.
func (NamespaceStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of namespaces.
func (NamespaceStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Status", Type: "string", Description: "Whether the namespace can be used, or is on its way out."},
		{Name: "Age", Type: "date", Description: "The time since the namespace was created."},
	}
}

// Cells fills the columns for one namespace.
func (NamespaceStrategy) Cells(ns *corev1.Namespace) []any {
	return []any{string(ns.Status.Phase), ns.CreationTimestamp}
}
