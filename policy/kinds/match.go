package kinds

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/features/webhook"
	"github.com/typeplane/typeplane/registry/rest"
)

// validateMatch says what is wrong with what is matched.
func validateMatch(m *admissionregistrationv1.MatchResources, path *field.Path) (errs field.ErrorList) {
	if m.MatchPolicy != nil {
		errs = append(errs, oneOf(path.Child("matchPolicy"), *m.MatchPolicy, admissionregistrationv1.Equivalent, admissionregistrationv1.Exact)...)
	}
	errs = append(errs, validateSelector(m.NamespaceSelector, path.Child("namespaceSelector"))...)
	errs = append(errs, validateSelector(m.ObjectSelector, path.Child("objectSelector"))...)
	errs = append(errs, validateRules(m.ResourceRules, path.Child("resourceRules"))...)
	return append(errs, validateRules(m.ExcludeResourceRules, path.Child("excludeResourceRules"))...)
}

func validateSelector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	return metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, path)
}

func validateRules(rules []admissionregistrationv1.NamedRuleWithOperations, path *field.Path) (errs field.ErrorList) {
	for i := range rest.WhileFew(&errs, slices.All(rules)) {
		rule, at := &rules[i], path.Index(i)
		errs = append(errs, webhook.ValidateRule(&rule.RuleWithOperations, at)...)
		before := map[string]bool{}
		for j, name := range rest.WhileFew(&errs, slices.All(rule.ResourceNames)) {
			if name == "" {
				errs = append(errs, field.Required(at.Child("resourceNames").Index(j), ""))
			}
			errs = append(errs, validateName(name, at.Child("resourceNames").Index(j))...)
			if before[name] {
				errs = append(errs, field.Duplicate(at.Child("resourceNames").Index(j), name))
			}
			before[name] = true
		}
	}
	return errs
}

// validateBinding says what is wrong with a binding. The policy need not be there yet. That a
// policy and actions are named, the tags of the type say.
func validateBinding(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	errs = validateBound(b.Spec.PolicyName, b.Spec.ParamRef, b.Spec.MatchResources, spec)
	return append(errs, validateActions(b.Spec.ValidationActions, spec.Child("validationActions"))...)
}

// validateBound says what is wrong with what bindings of both kinds of policies say.
func validateBound(policy string, params *admissionregistrationv1.ParamRef, m *admissionregistrationv1.MatchResources, spec *field.Path) (errs field.ErrorList) {
	if policy != "" {
		for _, message := range utilvalidation.IsDNS1123Subdomain(policy) {
			errs = append(errs, field.Invalid(spec.Child("policyName"), policy, message))
		}
	}
	errs = append(errs, validateParamRef(params, spec.Child("paramRef"))...)
	if m != nil {
		errs = append(errs, validateMatch(m, spec.Child("matchResources"))...)
	}
	return errs
}

func validateParamRef(ref *admissionregistrationv1.ParamRef, path *field.Path) (errs field.ErrorList) {
	if ref == nil {
		return nil
	}
	errs = validateName(ref.Name, path.Child("name"))
	switch {
	case ref.Name != "" && ref.Selector != nil:
		for _, one := range []string{"name", "selector"} {
			errs = append(errs, field.Forbidden(path.Child(one), "name and selector are mutually exclusive"))
		}
	case ref.Name == "" && ref.Selector == nil:
		errs = append(errs, field.Required(path, "one of name or selector must be specified"))
	}
	errs = append(errs, validateSelector(ref.Selector, path.Child("selector"))...)
	if ref.ParameterNotFoundAction == nil || *ref.ParameterNotFoundAction == "" {
		return append(errs, field.Required(path.Child("parameterNotFoundAction"), ""))
	}
	return append(errs, oneOf(path.Child("parameterNotFoundAction"), *ref.ParameterNotFoundAction, admissionregistrationv1.AllowAction, admissionregistrationv1.DenyAction)...)
}

// validateName refuses what no object can be called.
func validateName(name string, path *field.Path) (errs field.ErrorList) {
	for _, message := range content.IsPathSegmentName(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	return errs
}

func validateActions(actions []admissionregistrationv1.ValidationAction, path *field.Path) (errs field.ErrorList) {
	seen := map[admissionregistrationv1.ValidationAction]bool{}
	for i, action := range rest.WhileFew(&errs, slices.All(actions)) {
		errs = append(errs, oneOf(path.Index(i), action, admissionregistrationv1.Audit, admissionregistrationv1.Deny, admissionregistrationv1.Warn)...)
		if seen[action] {
			errs = append(errs, field.Duplicate(path.Index(i), action))
		}
		seen[action] = true
	}
	if seen[admissionregistrationv1.Deny] && seen[admissionregistrationv1.Warn] {
		errs = append(errs, field.Invalid(path, actions, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
	return errs
}
