package webhook

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/registry/rest"
)

// ValidateRule says what is wrong with what a webhook is called for, or a policy holds for.
func ValidateRule(r *admissionregistrationv1.RuleWithOperations, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	operations := path.Child("operations")
	if len(r.Operations) == 0 {
		errs = append(errs, field.Required(operations, ""))
	}
	if len(r.Operations) > 1 && slices.Contains(r.Operations, admissionregistrationv1.OperationAll) {
		errs = append(errs, field.Invalid(operations, r.Operations, "if '*' is present, must not specify other operations"))
	}
	allowed := []admissionregistrationv1.OperationType{
		admissionregistrationv1.OperationAll, admissionregistrationv1.Connect, admissionregistrationv1.Create, admissionregistrationv1.Delete, admissionregistrationv1.Update,
	}
	for i, o := range rest.WhileFew(&errs, slices.All(r.Operations)) {
		if !slices.Contains(allowed, o) {
			errs = append(errs, field.NotSupported(operations.Index(i), o, allowed))
		}
	}
	errs = append(errs, validateNames(path.Child("apiGroups"), r.APIGroups, "API groups", true)...)
	errs = append(errs, validateNames(path.Child("apiVersions"), r.APIVersions, "API versions", false)...)
	errs = append(errs, validateResources(path.Child("resources"), r.Resources)...)
	return append(errs, oneOf(path.Child("scope"), r.Scope, admissionregistrationv1.AllScopes, admissionregistrationv1.ClusterScope, admissionregistrationv1.NamespacedScope)...)
}

// warnOfReviews looks for reviews in the rules of the i-th webhook. A star is not taken to mean
// them.
func warnOfReviews(w *strategy.Warnings, i int, rules []admissionregistrationv1.RuleWithOperations) {
	for j := range rules {
		groups, resources := rules[j].APIGroups, rules[j].Resources
		if slices.Contains(groups, "*") || slices.Contains(resources, "*") {
			continue
		}
		for _, review := range match.Reviews() {
			if slices.Contains(groups, review.Group) && slices.Contains(resources, review.Resource) {
				w.Add("webhooks[%d].rules[%d]: %s is excluded from admission webhooks; this rule will have no effect", i, j, review)
			}
		}
	}
}

// validateNames: a star stands alone. The core group has no name, but everything else has.
func validateNames(path *field.Path, names []string, what string, emptyToo bool) (errs field.ErrorList) {
	if len(names) == 0 {
		errs = append(errs, field.Required(path, ""))
	}
	if len(names) > 1 && slices.Contains(names, "*") {
		errs = append(errs, field.Invalid(path, names, "if '*' is present, must not specify other "+what))
	}
	for i, name := range rest.WhileFew(&errs, slices.All(names)) {
		if name == "" && !emptyToo {
			errs = append(errs, field.Required(path.Index(i), ""))
		}
	}
	return errs
}

// validateResources: nothing may be named that a star in the same list stands for already.
func validateResources(path *field.Path, resources []string) (errs field.ErrorList) {
	if len(resources) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	plain, before := false, map[string]bool{}
	for i, name := range rest.WhileFew(&errs, slices.All(resources)) {
		resource, sub, hasSub := strings.Cut(name, "/")
		switch {
		case name == "":
			errs = append(errs, field.Required(path.Index(i), ""))
		case !hasSub:
			plain = plain || name != "*"
		case before[resource+"/*"]:
			errs = append(errs, field.Invalid(path.Index(i), name, fmt.Sprintf("if '%s/*' is present, must not specify %s", resource, name)))
		case before["*/"+sub]:
			errs = append(errs, field.Invalid(path.Index(i), name, fmt.Sprintf("if '*/%s' is present, must not specify %s", sub, name)))
		}
		before[name] = true
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		errs = append(errs, field.Invalid(path, resources, "if '*/*' is present, must not specify other resources"))
	}
	if plain && slices.Contains(resources, "*") {
		errs = append(errs, field.Invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
	}
	return errs
}
