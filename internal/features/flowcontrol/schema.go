package flowcontrol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// FlowSchemaStrategy holds the rules of flow schemas, and their columns.
type FlowSchemaStrategy struct{}

// Validate says what is wrong with a flow schema.
func (FlowSchemaStrategy) Validate(_ context.Context, s *flowcontrolv1.FlowSchema) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateSchemaSpec(s.Name, &s.Spec, path)
	for _, fixed := range fairness.Mandatory().Schemas {
		if fixed.Name == s.Name && !semantic.Equal(s.Spec, fromSchema(fixed).Spec) {
			errs = append(errs, field.Invalid(path, s.Spec, fmt.Sprintf("spec of '%s' must equal the fixed value", s.Name)))
		}
	}
	return errs
}

// ValidateStatusUpdate says what is wrong with a status.
func (FlowSchemaStrategy) ValidateStatusUpdate(_ context.Context, s, _ *flowcontrolv1.FlowSchema) field.ErrorList {
	return validateConditions(s.Status.Conditions, func(c flowcontrolv1.FlowSchemaCondition) string { return string(c.Type) })
}

// validateConditions wants each type of condition once.
func validateConditions[C any](conditions []C, typeOf func(C) string) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, c := range rest.WhileFew(&errs, slices.All(conditions)) {
		path, kind := field.NewPath("status", "conditions").Index(i).Child("type"), typeOf(c)
		if seen[kind] {
			errs = append(errs, field.Duplicate(path, kind))
		}
		seen[kind] = true
		if kind == "" {
			errs = append(errs, field.Required(path, "must not be empty"))
		}
	}
	return errs
}

func validateSchemaSpec(name string, s *flowcontrolv1.FlowSchemaSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	precedence := path.Child("matchingPrecedence")
	if s.MatchingPrecedence <= 0 {
		errs = append(errs, field.Invalid(precedence, s.MatchingPrecedence, "must be a positive value"))
	}
	if s.MatchingPrecedence > flowcontrolv1.FlowSchemaMaxMatchingPrecedence {
		errs = append(errs, field.Invalid(precedence, s.MatchingPrecedence, fmt.Sprintf("must not be greater than %v", flowcontrolv1.FlowSchemaMaxMatchingPrecedence)))
	}
	if s.MatchingPrecedence == 1 && name != flowcontrolv1.FlowSchemaNameExempt {
		errs = append(errs, field.Invalid(precedence, s.MatchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
	}
	if m := s.DistinguisherMethod; m != nil {
		errs = append(errs, oneOf(path.Child("distinguisherMethod", "type"), m.Type, flowcontrolv1.FlowDistinguisherMethodByNamespaceType, flowcontrolv1.FlowDistinguisherMethodByUserType)...)
	}
	level := path.Child("priorityLevelConfiguration", "name")
	if s.PriorityLevelConfiguration.Name == "" {
		errs = append(errs, field.Required(level, "must reference a priority level"))
	} else {
		errs = append(errs, invalid(level, s.PriorityLevelConfiguration.Name, "", validation.NameIsDNSSubdomain)...)
	}
	for i := range rest.WhileFew(&errs, slices.All(s.Rules)) {
		errs = append(errs, validateRule(&s.Rules[i], path.Child("rules").Index(i))...)
	}
	return errs
}

// invalid says what a rule of names has against one.
func invalid(path *field.Path, name, intro string, rule func(name string, prefix bool) []string) field.ErrorList {
	var errs field.ErrorList
	for _, problem := range rule(name, false) {
		errs = append(errs, field.Invalid(path, name, intro+problem))
	}
	return errs
}

func oneOf[T ~string](path *field.Path, value T, known ...T) field.ErrorList {
	if slices.Contains(known, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, known)}
}

func validateRule(r *flowcontrolv1.PolicyRulesWithSubjects, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(r.Subjects) == 0 {
		errs = append(errs, field.Required(path.Child("subjects"), "subjects must contain at least one value"))
	}
	for i := range rest.WhileFew(&errs, slices.All(r.Subjects)) {
		errs = append(errs, validateSubject(&r.Subjects[i], path.Child("subjects").Index(i))...)
	}
	if len(r.ResourceRules) == 0 && len(r.NonResourceRules) == 0 {
		errs = append(errs, field.Required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"))
	}
	for i := range rest.WhileFew(&errs, slices.All(r.ResourceRules)) {
		errs = append(errs, validateResourceRule(&r.ResourceRules[i], path.Child("resourceRules").Index(i))...)
	}
	for i := range rest.WhileFew(&errs, slices.All(r.NonResourceRules)) {
		errs = append(errs, validatePathRule(&r.NonResourceRules[i], path.Child("nonResourceRules").Index(i))...)
	}
	return errs
}

func validateSubject(s *flowcontrolv1.Subject, path *field.Path) field.ErrorList {
	errs := oneOf(path.Child("kind"), s.Kind, flowcontrolv1.SubjectKindGroup, flowcontrolv1.SubjectKindServiceAccount, flowcontrolv1.SubjectKindUser)
	if len(errs) > 0 {
		return errs
	}
	for _, member := range []struct {
		name  string
		kind  flowcontrolv1.SubjectKind
		there bool
	}{
		{"user", flowcontrolv1.SubjectKindUser, s.User != nil},
		{"group", flowcontrolv1.SubjectKindGroup, s.Group != nil},
		{"serviceAccount", flowcontrolv1.SubjectKindServiceAccount, s.ServiceAccount != nil},
	} {
		if member.there && s.Kind != member.kind {
			errs = append(errs, field.Forbidden(path.Child(member.name), fmt.Sprintf("%s is forbidden when subject kind is not '%s'", member.name, member.kind)))
		}
		if !member.there && s.Kind == member.kind {
			errs = append(errs, field.Required(path.Child(member.name), fmt.Sprintf("%s is required when subject kind is '%s'", member.name, member.kind)))
		}
	}
	switch {
	case s.Kind == flowcontrolv1.SubjectKindUser && s.User != nil && s.User.Name == "":
		errs = append(errs, field.Required(path.Child("user", "name"), ""))
	case s.Kind == flowcontrolv1.SubjectKindGroup && s.Group != nil && s.Group.Name == "":
		errs = append(errs, field.Required(path.Child("group", "name"), ""))
	case s.Kind == flowcontrolv1.SubjectKindServiceAccount && s.ServiceAccount != nil:
		errs = append(errs, validateServiceAccount(s.ServiceAccount, path.Child("serviceAccount"))...)
	}
	return errs
}

func validateServiceAccount(s *flowcontrolv1.ServiceAccountSubject, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	} else if s.Name != flowcontrolv1.NameAll {
		errs = append(errs, invalid(path.Child("name"), s.Name, "", validation.ValidateServiceAccountName)...)
	}
	if s.Namespace == "" {
		return append(errs, field.Required(path.Child("namespace"), "must specify namespace for service account"))
	}
	return append(errs, invalid(path.Child("namespace"), s.Namespace, "", validation.ValidateNamespaceName)...)
}

// verbs are those that a rule may name.
var verbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}

func validateVerbs(list []string, path *field.Path) field.ErrorList {
	if errs := validateList(list, path, "verbs must contain at least one value", "verbs"); len(errs) > 0 || slices.Contains(list, flowcontrolv1.VerbAll) {
		return errs
	}
	if slices.ContainsFunc(list, func(verb string) bool { return !slices.Contains(verbs, verb) }) {
		return field.ErrorList{field.NotSupported(path, list, verbs)}
	}
	return nil
}

// validateList wants a value, and nothing beside one that stands for all. many names the values.
func validateList(list []string, path *field.Path, required, many string) field.ErrorList {
	if len(list) == 0 {
		return field.ErrorList{field.Required(path, required)}
	}
	if len(list) > 1 && slices.Contains(list, fairness.All) {
		return field.ErrorList{field.Invalid(path, list, fmt.Sprintf("if '*' is present, must not specify other %s", many))}
	}
	return nil
}

func validateResourceRule(r *flowcontrolv1.ResourcePolicyRule, path *field.Path) field.ErrorList {
	errs := validateVerbs(r.Verbs, path.Child("verbs"))
	errs = append(errs, validateList(r.APIGroups, path.Child("apiGroups"), "resource rules must supply at least one api group", "api groups")...)
	errs = append(errs, validateList(r.Resources, path.Child("resources"), "resource rules must supply at least one resource", "resources")...)
	namespaces := path.Child("namespaces")
	if len(r.Namespaces) == 0 && r.ClusterScope {
		return errs
	}
	problems := validateList(r.Namespaces, namespaces, "resource rules that are not cluster scoped must supply at least one namespace", "namespaces")
	if len(problems) > 0 || slices.Contains(r.Namespaces, flowcontrolv1.NamespaceEvery) {
		return append(errs, problems...)
	}
	for i, namespace := range rest.WhileFew(&errs, slices.All(r.Namespaces)) {
		errs = append(errs, invalid(namespaces.Index(i), namespace, "each member of this list must be '*' or a DNS-1123 label; ", validation.ValidateNamespaceName)...)
	}
	return errs
}

func validatePathRule(r *flowcontrolv1.NonResourcePolicyRule, path *field.Path) field.ErrorList {
	errs := validateVerbs(r.Verbs, path.Child("verbs"))
	urls := path.Child("nonResourceURLs")
	problems := validateList(r.NonResourceURLs, urls, "nonResourceURLs must contain at least one value", "non-resource URLs")
	if len(problems) > 0 || slices.Contains(r.NonResourceURLs, flowcontrolv1.NonResourceAll) {
		return append(errs, problems...)
	}
	for i, url := range rest.WhileFew(&errs, slices.All(r.NonResourceURLs)) {
		if problem := urlProblem(url); problem != "" {
			errs = append(errs, field.Invalid(urls.Index(i), url, problem))
		}
	}
	return errs
}

// urlProblem says what is wrong with the path of a rule, "" if nothing is.
func urlProblem(url string) string {
	switch {
	case url == "":
		return "must not be empty"
	case !strings.HasPrefix(url, "/"):
		return "must start with slash"
	case strings.Contains(url, " "):
		return "must not contain white-space"
	case strings.Contains(url, "//"):
		return "must not contain double slash"
	case strings.Contains(strings.TrimSuffix(url, "/*"), "*"):
		return "wildcard can only do suffix matching"
	}
	return ""
}

// Columns are what kubectl get shows of flow schemas.
func (FlowSchemaStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "PriorityLevel", Type: "string", Description: "The level that the requests belong to."},
		{Name: "MatchingPrecedence", Type: "integer", Description: "Of the schemas that match a request, the one with the lowest number counts."},
		{Name: "DistinguisherMethod", Type: "string", Description: "What tells the flows of the schema apart."},
		{Name: "Age", Type: "date", Description: "The time since the schema was created."},
		{Name: "MissingPL", Type: "string", Description: "Whether the level is not there."},
	}
}

// Cells fills the columns for one flow schema.
func (FlowSchemaStrategy) Cells(s *flowcontrolv1.FlowSchema) []any {
	method, missing := "<none>", "?"
	if s.Spec.DistinguisherMethod != nil {
		method = string(s.Spec.DistinguisherMethod.Type)
	}
	for _, c := range s.Status.Conditions {
		if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
			missing = string(c.Status)
		}
	}
	return []any{s.Spec.PriorityLevelConfiguration.Name, int64(s.Spec.MatchingPrecedence), method, s.CreationTimestamp, missing}
}
