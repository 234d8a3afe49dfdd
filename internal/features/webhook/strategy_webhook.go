package webhook

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// webhook is what webhooks of both kinds have. reinvocation is nil for one that changes nothing.
type webhook struct {
	name                string
	client              *admissionregistrationv1.WebhookClientConfig
	rules               []admissionregistrationv1.RuleWithOperations
	failure             *admissionregistrationv1.FailurePolicyType
	match               *admissionregistrationv1.MatchPolicyType
	sideEffects         *admissionregistrationv1.SideEffectClass
	timeout             *int32
	namespaces, objects *metav1.LabelSelector
	versions            []string
	conditions          []admissionregistrationv1.MatchCondition
	reinvocation        *admissionregistrationv1.ReinvocationPolicyType
}

const maxTimeoutSeconds, maxMatchConditions = 30, 64

// validateWebhooks says what is wrong with the webhooks of a configuration. Expressions in match
// conditions are not compiled here: whoever calls webhooks does that.
func validateWebhooks(hooks []webhook) (errs field.ErrorList) {
	names := map[string]bool{}
	for i := range rest.WhileFew(&errs, slices.All(hooks)) {
		path := field.NewPath("webhooks").Index(i)
		errs = append(errs, hooks[i].validate(path)...)
		if names[hooks[i].name] {
			errs = append(errs, field.Duplicate(path.Child("name"), hooks[i].name))
		}
		names[hooks[i].name] = true
	}
	return errs
}

func (w *webhook) validate(path *field.Path) field.ErrorList {
	errs := validation.IsFullyQualifiedName(path.Child("name"), w.name)
	for i := range rest.WhileFew(&errs, slices.All(w.rules)) {
		errs = append(errs, ValidateRule(&w.rules[i], path.Child("rules").Index(i))...)
	}
	errs = append(errs, oneOf(path.Child("failurePolicy"), w.failure, admissionregistrationv1.Fail, admissionregistrationv1.Ignore)...)
	errs = append(errs, oneOf(path.Child("matchPolicy"), w.match, admissionregistrationv1.Equivalent, admissionregistrationv1.Exact)...)
	errs = append(errs, oneOf(path.Child("reinvocationPolicy"), w.reinvocation, admissionregistrationv1.IfNeededReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy)...)
	if w.sideEffects == nil {
		errs = append(errs, field.Required(path.Child("sideEffects"), "must specify one of None, NoneOnDryRun"))
	}
	errs = append(errs, oneOf(path.Child("sideEffects"), w.sideEffects, admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.SideEffectClassNoneOnDryRun)...)
	if t := w.timeout; t != nil && (*t < 1 || *t > maxTimeoutSeconds) {
		errs = append(errs, field.Invalid(path.Child("timeoutSeconds"), *t, "the timeout value must be between 1 and 30 seconds"))
	}
	selectors := metav1validation.LabelSelectorValidationOptions{}
	if w.namespaces != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(w.namespaces, selectors, path.Child("namespaceSelector"))...)
	}
	if w.objects != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(w.objects, selectors, path.Child("objectSelector"))...)
	}
	errs = append(errs, validateClient(w.client, path.Child("clientConfig"))...)
	errs = append(errs, ValidateConditions(w.conditions, path.Child("matchConditions"))...)
	return append(errs, validateVersions(w.versions, path.Child("admissionReviewVersions"))...)
}

func oneOf[T ~string](path *field.Path, value *T, allowed ...T) field.ErrorList {
	if value == nil || slices.Contains(allowed, *value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, *value, allowed)}
}

// validateClient says what is wrong with where the webhook is.
func validateClient(c *admissionregistrationv1.WebhookClientConfig, path *field.Path) field.ErrorList {
	switch {
	case (c.URL == nil) == (c.Service == nil):
		return field.ErrorList{field.Required(path, "exactly one of url or service is required")}
	case c.URL != nil:
		return validateURL(*c.URL, path.Child("url"))
	}
	return validateService(c.Service, path.Child("service"))
}

func validateURL(text string, path *field.Path) (errs field.ErrorList) {
	const form = "; desired format: https://host[/path]"
	bad := func(message string) { errs = append(errs, field.Invalid(path, text, message)) }
	u, err := url.Parse(text)
	if err != nil {
		bad("url must be a valid URL: " + err.Error() + form)
		return errs
	}
	if u.Scheme != "https" {
		bad("'https' is the only allowed URL scheme" + form)
	}
	if u.Host == "" {
		bad("host must be specified" + form)
	}
	if u.User != nil {
		bad("user information is not permitted in the URL")
	}
	if u.Fragment != "" {
		bad("fragments are not permitted in the URL")
	}
	if u.RawQuery != "" {
		bad("query parameters are not permitted in the URL")
	}
	return errs
}

func validateService(s *admissionregistrationv1.ServiceReference, path *field.Path) (errs field.ErrorList) {
	if s.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "service name is required"))
	}
	if s.Namespace == "" {
		errs = append(errs, field.Required(path.Child("namespace"), "service namespace is required"))
	}
	if s.Port != nil {
		for _, message := range validation.IsValidPortNum(int(*s.Port)) {
			errs = append(errs, field.Invalid(path.Child("port"), *s.Port, "port is not valid: "+message))
		}
	}
	if s.Path == nil || *s.Path == "" {
		return errs
	}
	if !strings.HasPrefix(*s.Path, "/") {
		return append(errs, field.Invalid(path.Child("path"), *s.Path, "must start with a '/'"))
	}
	for i, step := range rest.WhileFew(&errs, slices.All(strings.Split(strings.Trim(*s.Path, "/"), "/"))) {
		if step == "" && *s.Path != "/" {
			errs = append(errs, field.Invalid(path.Child("path"), *s.Path, fmt.Sprintf("segment[%d] may not be empty", i)))
		}
	}
	return errs
}

// ValidateConditions says what is wrong with match conditions, except for what their expressions
// say.
func ValidateConditions(conditions []admissionregistrationv1.MatchCondition, path *field.Path) (errs field.ErrorList) {
	if len(conditions) > maxMatchConditions {
		errs = append(errs, field.TooMany(path, len(conditions), maxMatchConditions))
	}
	names := map[string]bool{}
	for i, c := range rest.WhileFew(&errs, slices.All(conditions)) {
		at := path.Index(i)
		if strings.TrimSpace(c.Expression) == "" {
			errs = append(errs, field.Required(at.Child("expression"), ""))
		}
		if c.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
			continue
		}
		for _, message := range validation.IsQualifiedName(c.Name) {
			errs = append(errs, field.Invalid(at.Child("name"), c.Name, message))
		}
		if names[c.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		}
		names[c.Name] = true
	}
	return errs
}

// validateVersions: one of the versions of AdmissionReview has to be one that servers send.
func validateVersions(versions []string, path *field.Path) (errs field.ErrorList) {
	sent := []string{"v1", "v1beta1"}
	if len(versions) == 0 {
		return field.ErrorList{field.Required(path, "must specify one of "+strings.Join(sent, ", "))}
	}
	known, before := false, map[string]bool{}
	for i, v := range rest.WhileFew(&errs, slices.All(versions)) {
		if before[v] {
			errs = append(errs, field.Invalid(path.Index(i), v, "duplicate version"))
		}
		for _, message := range validation.IsDNS1035Label(v) {
			errs = append(errs, field.Invalid(path.Index(i), v, message))
		}
		known, before[v] = known || slices.Contains(sent, v), true
	}
	if !known {
		errs = append(errs, field.Invalid(path, versions, "must include at least one of "+strings.Join(sent, ", ")))
	}
	return errs
}
