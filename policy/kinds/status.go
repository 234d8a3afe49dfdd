package kinds

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/jsonpath"
)

// validateStatus says what is wrong with what a controller says of a policy. It is the controller
// manager of Kubernetes that writes it.
func validateStatus(status *admissionregistrationv1.ValidatingAdmissionPolicyStatus, path *field.Path) (errs field.ErrorList) {
	if status.TypeChecking != nil {
		errs = validateWarnings(status.TypeChecking.ExpressionWarnings, path.Child("typeChecking", "expressionWarnings"))
	}
	return append(errs, metav1validation.ValidateConditions(status.Conditions, path.Child("conditions"))...)
}

func validateWarnings(warnings []admissionregistrationv1.ExpressionWarning, path *field.Path) (errs field.ErrorList) {
	for i, w := range rest.WhileFew(&errs, slices.All(warnings)) {
		at := path.Index(i)
		if w.Warning == "" {
			errs = append(errs, field.Required(at.Child("warning"), ""))
		}
		ref := strings.TrimSpace(w.FieldRef)
		if ref == "" {
			errs = append(errs, field.Required(at.Child("fieldRef"), ""))
		} else if _, err := jsonpath.Parse("." + strings.TrimPrefix(ref, ".")); err != nil {
			errs = append(errs, field.Invalid(at.Child("fieldRef"), ref, err.Error()))
		}
	}
	return errs
}
