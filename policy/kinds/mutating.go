package kinds

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/features/webhook"
	"github.com/typeplane/typeplane/policy/expression"
	"github.com/typeplane/typeplane/registry/rest"
)

// maxMutations bounds a policy. Kubernetes has no such bound.
const maxMutations = 100

// validateMutating says what is wrong with a policy that mutates. Expressions are compiled if there
// is nothing else.
func validateMutating(p *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList {
	spec, path := &p.Spec, field.NewPath("spec")
	errs := validateConstraints(spec.FailurePolicy, spec.ParamKind, spec.MatchConstraints, path)
	errs = append(errs, validateOperations(spec.MatchConstraints, path.Child("matchConstraints"))...)
	errs = append(errs, webhook.ValidateConditions(spec.MatchConditions, path.Child("matchConditions"))...)
	errs = append(errs, validateVariables(spec.Variables, path.Child("variables"))...)
	errs = append(errs, validateMutations(spec.Mutations, path.Child("mutations"))...)
	if at := path.Child("reinvocationPolicy"); spec.ReinvocationPolicy == "" {
		errs = append(errs, field.Required(at, ""))
	} else {
		errs = append(errs, oneOf(at, spec.ReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy, admissionregistrationv1.IfNeededReinvocationPolicy)...)
	}
	if len(errs) > 0 {
		return errs
	}
	_, errs = expression.CompileMutations(spec, path)
	return errs
}

// changing are the operations that something can be changed in.
var changing = []admissionregistrationv1.OperationType{
	admissionregistrationv1.OperationAll, admissionregistrationv1.Connect, admissionregistrationv1.Create, admissionregistrationv1.Update,
}

// validateOperations refuses rules about deletions, in which nothing can be changed. validateMatch
// has refused what is no operation.
func validateOperations(m *admissionregistrationv1.MatchResources, path *field.Path) (errs field.ErrorList) {
	if m == nil {
		return nil
	}
	for i := range rest.WhileFew(&errs, slices.All(m.ResourceRules)) {
		for j, operation := range rest.WhileFew(&errs, slices.All(m.ResourceRules[i].Operations)) {
			if operation == admissionregistrationv1.Delete {
				errs = append(errs, field.NotSupported(path.Child("resourceRules").Index(i).Child("operations").Index(j), operation, changing))
			}
		}
	}
	return errs
}

func validateMutations(all []admissionregistrationv1.Mutation, path *field.Path) (errs field.ErrorList) {
	if len(all) == 0 {
		return field.ErrorList{field.Required(path, "mutations must contain at least one item")}
	}
	if len(all) > maxMutations {
		errs = append(errs, field.TooMany(path, len(all), maxMutations))
	}
	for i := range rest.WhileFew(&errs, slices.All(all)) {
		errs = append(errs, validateMutation(&all[i], path.Index(i))...)
	}
	return errs
}

func validateMutation(m *admissionregistrationv1.Mutation, path *field.Path) (errs field.ErrorList) {
	configuration, patch := path.Child("applyConfiguration"), path.Child("jsonPatch")
	switch m.PatchType {
	case "":
		return field.ErrorList{field.Required(path.Child("patchType"), "")}
	case admissionregistrationv1.PatchTypeApplyConfiguration:
		if m.ApplyConfiguration == nil {
			errs = append(errs, field.Required(configuration, "must be specified when patchType is ApplyConfiguration"))
		} else {
			errs = append(errs, validateExpression(m.ApplyConfiguration.Expression, configuration)...)
		}
		if m.JSONPatch != nil {
			errs = append(errs, field.Invalid(patch, "{jsonPatch}", "must not be specified when patchType is ApplyConfiguration"))
		}
		return errs
	case admissionregistrationv1.PatchTypeJSONPatch:
		if m.JSONPatch == nil {
			errs = append(errs, field.Required(patch, "must be specified when patchType is JSONPatch"))
		} else {
			errs = append(errs, validateExpression(m.JSONPatch.Expression, patch)...)
		}
		if m.ApplyConfiguration != nil {
			errs = append(errs, field.Invalid(configuration, "{applyConfiguration}", "must not be specified when patchType is JSONPatch"))
		}
		return errs
	}
	return oneOf(path.Child("patchType"), m.PatchType, admissionregistrationv1.PatchTypeApplyConfiguration, admissionregistrationv1.PatchTypeJSONPatch)
}

func validateExpression(text string, path *field.Path) field.ErrorList {
	if strings.TrimSpace(text) == "" {
		return field.ErrorList{field.Required(path.Child("expression"), "")}
	}
	return nil
}

// validateMutatingBinding says what is wrong with a binding. The policy need not be there yet.
func validateMutatingBinding(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	if b.Spec.PolicyName == "" {
		errs = append(errs, field.Required(spec.Child("policyName"), ""))
	}
	errs = append(errs, validateBound(b.Spec.PolicyName, b.Spec.ParamRef, b.Spec.MatchResources, spec)...)
	return append(errs, validateOperations(b.Spec.MatchResources, spec.Child("matchResources"))...)
}
