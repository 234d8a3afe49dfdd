package kinds

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/features/webhook"
	"github.com/typeplane/typeplane/policy/expression"
	"github.com/typeplane/typeplane/registry/rest"
)

// The bounds of a policy.
const (
	maxAuditAnnotations     = 20
	maxAnnotationExpression = 5 << 10
	// Kubernetes has no such bounds. What a variable costs when it is compiled grows with those
	// before it.
	maxVariables   = 300
	maxValidations = 1000
)

// validatePolicy says what is wrong with a policy. Expressions are compiled if there is nothing
// else.
func validatePolicy(p *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList {
	spec, path := &p.Spec, field.NewPath("spec")
	errs := validateConstraints(spec.FailurePolicy, spec.ParamKind, spec.MatchConstraints, path)
	if len(spec.Validations) == 0 && len(spec.AuditAnnotations) == 0 {
		for _, one := range []string{"validations", "auditAnnotations"} {
			errs = append(errs, field.Required(path.Child(one), "validations or auditAnnotations must be set; at least one of them is required"))
		}
	}
	errs = append(errs, webhook.ValidateConditions(spec.MatchConditions, path.Child("matchConditions"))...)
	errs = append(errs, validateVariables(spec.Variables, path.Child("variables"))...)
	for i := range rest.WhileFew(&errs, slices.All(spec.Validations)) {
		errs = append(errs, validateValidation(&spec.Validations[i], path.Child("validations").Index(i))...)
	}
	if len(spec.Validations) > maxValidations {
		errs = append(errs, field.TooMany(path.Child("validations"), len(spec.Validations), maxValidations))
	}
	errs = append(errs, validateAnnotations(p.Name, spec.AuditAnnotations, path.Child("auditAnnotations"))...)
	if len(errs) > 0 {
		return errs
	}
	_, errs = expression.Compile(spec, path)
	return errs
}

// validateConstraints says what is wrong with what policies that validate and those that mutate
// say of the requests that they are about.
func validateConstraints(failure *admissionregistrationv1.FailurePolicyType, params *admissionregistrationv1.ParamKind, m *admissionregistrationv1.MatchResources, path *field.Path) (errs field.ErrorList) {
	if failure != nil {
		errs = append(errs, oneOf(path.Child("failurePolicy"), *failure, admissionregistrationv1.Fail, admissionregistrationv1.Ignore)...)
	}
	errs = append(errs, validateParamKind(params, path.Child("paramKind"))...)
	at := path.Child("matchConstraints")
	if m == nil {
		return append(errs, field.Required(at, ""))
	}
	errs = append(errs, validateMatch(m, at)...)
	if len(m.ResourceRules) == 0 {
		errs = append(errs, field.Required(at.Child("resourceRules"), ""))
	}
	return errs
}

func validateParamKind(k *admissionregistrationv1.ParamKind, path *field.Path) (errs field.ErrorList) {
	if k == nil {
		return nil
	}
	errs = validateVersion(k.APIVersion, path.Child("apiVersion"))
	if k.Kind == "" {
		return append(errs, field.Required(path.Child("kind"), ""))
	}
	for _, message := range utilvalidation.IsDNS1035Label(strings.ToLower(k.Kind)) {
		errs = append(errs, field.Invalid(path.Child("kind"), k.Kind, "may have mixed case, but should otherwise match: "+message))
	}
	return errs
}

func validateVersion(apiVersion string, path *field.Path) (errs field.ErrorList) {
	if apiVersion == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return field.ErrorList{field.Invalid(path, apiVersion, err.Error())}
	}
	var problems []string
	if gv.Group != "" {
		problems = utilvalidation.IsDNS1123Subdomain(gv.Group)
	}
	for _, message := range append(problems, utilvalidation.IsDNS1035Label(gv.Version)...) {
		errs = append(errs, field.Invalid(path, apiVersion, message))
	}
	return errs
}

func validateVariables(variables []admissionregistrationv1.Variable, path *field.Path) (errs field.ErrorList) {
	if len(variables) > maxVariables {
		errs = append(errs, field.TooMany(path, len(variables), maxVariables))
	}
	names := map[string]bool{}
	for i, v := range rest.WhileFew(&errs, slices.All(variables)) {
		at := path.Index(i)
		switch {
		case v.Name == "":
			errs = append(errs, field.Required(at.Child("name"), "name is not specified"))
		case !expression.IsName(v.Name):
			errs = append(errs, field.Invalid(at.Child("name"), v.Name, "name is not a valid CEL identifier"))
		case names[v.Name]:
			errs = append(errs, field.Duplicate(at.Child("name"), v.Name))
		}
		names[v.Name] = true
		if strings.TrimSpace(v.Expression) == "" {
			errs = append(errs, field.Required(at.Child("expression"), "expression is not specified"))
		}
	}
	return errs
}

func validateValidation(v *admissionregistrationv1.Validation, path *field.Path) (errs field.ErrorList) {
	text, message := strings.TrimSpace(v.Expression), strings.TrimSpace(v.Message)
	if text == "" {
		errs = append(errs, field.Required(path.Child("expression"), "expression is not specified"))
	}
	if v.MessageExpression != "" && strings.TrimSpace(v.MessageExpression) == "" {
		errs = append(errs, field.Invalid(path.Child("messageExpression"), v.MessageExpression, "must be non-empty if specified"))
	}
	switch {
	case v.Message != "" && message == "":
		errs = append(errs, field.Invalid(path.Child("message"), v.Message, "message must be non-empty if specified"))
	case strings.ContainsAny(message, "\n\r"):
		errs = append(errs, field.Invalid(path.Child("message"), v.Message, "message must not contain line breaks"))
	case message == "" && strings.ContainsAny(text, "\n\r"):
		errs = append(errs, field.Required(path.Child("message"), "message must be specified if expression contains line breaks"))
	}
	if v.Reason != nil {
		errs = append(errs, oneOf(path.Child("reason"), *v.Reason, metav1.StatusReasonForbidden, metav1.StatusReasonInvalid, metav1.StatusReasonRequestEntityTooLarge, metav1.StatusReasonUnauthorized)...)
	}
	return errs
}

func validateAnnotations(policy string, annotations []admissionregistrationv1.AuditAnnotation, path *field.Path) (errs field.ErrorList) {
	if len(annotations) > maxAuditAnnotations {
		errs = append(errs, field.TooMany(path, len(annotations), maxAuditAnnotations))
	}
	keys := map[string]bool{}
	for i, a := range rest.WhileFew(&errs, slices.All(annotations)) {
		at := path.Index(i)
		switch problems := utilvalidation.IsQualifiedName(policy + "/" + a.Key); {
		case len(problems) > 0:
			errs = append(errs, field.Invalid(at.Child("key"), a.Key, strings.Join(problems, "; ")))
		case keys[a.Key]:
			errs = append(errs, field.Duplicate(at.Child("key"), a.Key))
		}
		keys[a.Key] = true
		switch {
		case strings.TrimSpace(a.ValueExpression) == "":
			errs = append(errs, field.Required(at.Child("valueExpression"), "valueExpression is not specified"))
		case len(a.ValueExpression) > maxAnnotationExpression:
			errs = append(errs, field.TooLong(at.Child("valueExpression"), a.ValueExpression, maxAnnotationExpression))
		}
	}
	return errs
}
