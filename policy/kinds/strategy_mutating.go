package kinds

import (
	"context"
	"reflect"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MutatingAdmissionPolicyStrategy holds the rules of policies that mutate, and their columns.
type MutatingAdmissionPolicyStrategy struct{}

// Validate says what is wrong with a new policy.
func (MutatingAdmissionPolicyStrategy) Validate(_ context.Context, p *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList {
	return validateMutating(p)
}

// ValidateUpdate says what is wrong with a changed policy. One whose spec stays as it was is not
// looked at again: its expressions may have been written when the language was another.
func (MutatingAdmissionPolicyStrategy) ValidateUpdate(_ context.Context, p, old *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList {
	if reflect.DeepEqual(p.Spec, old.Spec) {
		return nil
	}
	return validateMutating(p)
}

// Columns are what kubectl get shows of policies.
func (MutatingAdmissionPolicyStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Mutations", Type: "integer", Description: "How many expressions change an object."},
		{Name: "ParamKind", Type: "string", Description: "The kind of the parameters."},
		{Name: "Age", Type: "date", Description: "The time since the policy was created."},
	}
}

// Cells fills the columns for one policy.
func (MutatingAdmissionPolicyStrategy) Cells(p *admissionregistrationv1.MutatingAdmissionPolicy) []any {
	return []any{int64(len(p.Spec.Mutations)), kindOf(p.Spec.ParamKind), p.CreationTimestamp}
}

// MutatingAdmissionPolicyBindingStrategy holds the rules of bindings, and their columns.
type MutatingAdmissionPolicyBindingStrategy struct{}

// Validate says what is wrong with a binding.
func (MutatingAdmissionPolicyBindingStrategy) Validate(_ context.Context, b *admissionregistrationv1.MutatingAdmissionPolicyBinding) field.ErrorList {
	return validateMutatingBinding(b)
}

// Columns are what kubectl get shows of bindings.
func (MutatingAdmissionPolicyBindingStrategy) Columns() []metav1.TableColumnDefinition {
	return bindingColumns()
}

// Cells fills the columns for one binding.
func (MutatingAdmissionPolicyBindingStrategy) Cells(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) []any {
	return []any{b.Spec.PolicyName, paramsOf(b.Spec.ParamRef), b.CreationTimestamp}
}
