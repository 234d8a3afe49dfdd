// Package marker has the constraints of OpenAPI that controller-gen and kube-openapi read as
// markers. Examples are +kubebuilder:validation:MinLength=1 and "+k8s:validation:minLength=1".
// It also has the rules in CEL, and +listType, +required and +optional as
// CustomResourceDefinitions have them. They judge values that are there: presence.go and
// package.go say when a field may be left out.
package marker

import (
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

// A marker is a constraint as OpenAPI has it, in the spelling of controller-gen or of kube-openapi:
// both +kubebuilder:validation:MinLength=1 and +k8s:validation:minLength=1 mean the same here. It
// is about values that are there: see skipOmitted.
type marker struct {
	name string    // as controller-gen spells it
	rule rule.Rule // without its name
	// only says that kube-openapi has no such tag.
	only bool
}

// spelled returns the rules of markers in both spellings.
func spelled(markers ...marker) []rule.Rule {
	var out []rule.Rule
	for _, m := range markers {
		r := m.rule
		r.Plan = marked(m.rule.Plan)
		r.Name = rule.Kubebuilder + m.name
		out = append(out, r)
		if !m.only {
			r.Name = rule.OpenAPI + lowerFirst(m.name)
			r.Example = strings.Replace(r.Example, rule.Kubebuilder+m.name, r.Name, 1)
			out = append(out, r)
		}
	}
	return out
}

// marked makes a plan one of the OpenAPI kind.
func marked(make func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error)) func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error) {
	return func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
		made, err := make(p, s, t)
		made = made.Wrapped(func(c plan.Call, _ bool) plan.Call {
			c.Marked = true
			return c
		})
		made.Marked = true
		return made, err
	}
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// sibling tells whether another marker, of the same spelling, stands on the same site, and what its
// value is.
func sibling(s *rule.Site, t codetags.Tag, name string) (value string, ok bool) {
	full := rule.Kubebuilder + s.MarkerPrefix + name
	if strings.HasPrefix(t.Name, rule.OpenAPI) {
		full = rule.OpenAPI + s.MarkerPrefix + lowerFirst(name)
	}
	for mk := range s.Origin.Markers.All() {
		if rest, found := strings.CutPrefix(mk.Text, "+"+full); found && (rest == "" || rest[0] == '=') {
			value, ok = strings.TrimPrefix(rest, "="), true
		}
	}
	return value, ok
}

// unquoted takes the quotes off a value, if it has any.
func unquoted(s string) string {
	if text, err := strconv.Unquote(s); err == nil {
		return text
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1] // with escapes that Go does not have, as in regular expressions
	}
	return withoutSingle(s)
}

// withoutSingle takes single quotes off a value. What is published has none either, with a warning.
func withoutSingle(s string) string {
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return s[1 : len(s)-1]
	}
	return s
}
