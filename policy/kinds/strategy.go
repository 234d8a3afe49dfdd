package kinds

import (
	"context"
	"reflect"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidatingAdmissionPolicyStrategy holds the rules of policies, and their columns.
type ValidatingAdmissionPolicyStrategy struct{}

// Validate says what is wrong with a new policy.
func (ValidatingAdmissionPolicyStrategy) Validate(_ context.Context, p *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList {
	return validatePolicy(p)
}

// ValidateUpdate says what is wrong with a changed policy. One whose spec stays as it was is not
// looked at again: its expressions may have been written when the language was another.
func (ValidatingAdmissionPolicyStrategy) ValidateUpdate(_ context.Context, p, old *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList {
	if reflect.DeepEqual(p.Spec, old.Spec) {
		return nil
	}
	return validatePolicy(p)
}

// ValidateStatusUpdate says what is wrong with a status.
func (ValidatingAdmissionPolicyStrategy) ValidateStatusUpdate(_ context.Context, p, _ *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList {
	return validateStatus(&p.Status, field.NewPath("status"))
}

// Columns are what kubectl get shows of policies.
func (ValidatingAdmissionPolicyStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Validations", Type: "integer", Description: "How many expressions have to be true."},
		{Name: "ParamKind", Type: "string", Description: "The kind of the parameters."},
		{Name: "Age", Type: "date", Description: "The time since the policy was created."},
	}
}

// Cells fills the columns for one policy.
func (ValidatingAdmissionPolicyStrategy) Cells(p *admissionregistrationv1.ValidatingAdmissionPolicy) []any {
	return []any{int64(len(p.Spec.Validations)), kindOf(p.Spec.ParamKind), p.CreationTimestamp}
}

func kindOf(params *admissionregistrationv1.ParamKind) string {
	if params == nil {
		return "<unset>"
	}
	return params.APIVersion + "/" + params.Kind
}

// ValidatingAdmissionPolicyBindingStrategy holds the rules of bindings, and their columns.
type ValidatingAdmissionPolicyBindingStrategy struct{}

// Validate says what is wrong with a binding.
func (ValidatingAdmissionPolicyBindingStrategy) Validate(_ context.Context, b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) field.ErrorList {
	return validateBinding(b)
}

// Columns are what kubectl get shows of bindings.
func (ValidatingAdmissionPolicyBindingStrategy) Columns() []metav1.TableColumnDefinition {
	return bindingColumns()
}

func bindingColumns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "PolicyName", Type: "string", Description: "The policy that holds by it."},
		{Name: "ParamRef", Type: "string", Description: "Where the parameters are."},
		{Name: "Age", Type: "date", Description: "The time since the binding was created."},
	}
}

// Cells fills the columns for one binding.
func (ValidatingAdmissionPolicyBindingStrategy) Cells(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) []any {
	return []any{b.Spec.PolicyName, paramsOf(b.Spec.ParamRef), b.CreationTimestamp}
}

func paramsOf(ref *admissionregistrationv1.ParamRef) string {
	switch {
	case ref == nil:
		return "<unset>"
	case ref.Name == "":
		return metav1.FormatLabelSelector(ref.Selector)
	case ref.Namespace == "":
		return ref.Name
	}
	return ref.Namespace + "/" + ref.Name
}

func oneOf[T ~string](path *field.Path, value T, allowed ...T) field.ErrorList {
	if slices.Contains(allowed, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, allowed)}
}
