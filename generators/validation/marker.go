package validation

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"
)

// A marker is a constraint as OpenAPI has it. controller-gen spells it +kubebuilder:validation:MinLength=1, kube-openapi
// +k8s:validation:minLength=1; both mean the same here. It is about values that are there: see skipOmitted.
type marker struct {
	name string // as controller-gen spells it
	rule rule   // without its name
	// only says that kube-openapi has no such tag.
	only bool
}

const (
	kubebuilder = "kubebuilder:validation:"
	openAPI     = "k8s:validation:"
)

// spelled returns the rules of markers in both spellings.
func spelled(markers ...marker) []rule {
	var out []rule
	for _, m := range markers {
		r := m.rule
		r.plan = marked(m.rule.plan)
		r.name = kubebuilder + m.name
		out = append(out, r)
		if !m.only {
			r.name = openAPI + lowerFirst(m.name)
			r.example = strings.Replace(r.example, kubebuilder+m.name, r.name, 1)
			out = append(out, r)
		}
	}
	return out
}

// marked makes a plan one of the OpenAPI kind.
func marked(make func(*planner, *site, codetags.Tag) (plan, error)) func(*planner, *site, codetags.Tag) (plan, error) {
	return func(p *planner, s *site, t codetags.Tag) (plan, error) {
		made, err := make(p, s, t)
		made = made.wrapped(func(c call, _ bool) call {
			c.marked = true
			return c
		})
		made.marked = true
		return made, err
	}
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// sibling tells whether another marker, of the same spelling, stands on the same site, and what its value is.
func sibling(s *site, t codetags.Tag, name string) (value string, ok bool) {
	full := kubebuilder + s.markerPrefix + name
	if strings.HasPrefix(t.Name, openAPI) {
		full = openAPI + s.markerPrefix + lowerFirst(name)
	}
	for mk := range s.origin.markers.All() {
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
	return s
}

// separateTrials keeps rules that are only tried out (+k8s:alpha) from stopping those of the OpenAPI kind that are in
// force: metav1.Condition has both on one field.
func (p *plan) separateTrials() {
	if !slices.ContainsFunc(p.calls, func(c call) bool { return c.marked }) {
		return
	}
	for i := range p.calls {
		if c := &p.calls[i]; c.level == "Alpha" && c.cohort == "" {
			c.cohort = "alpha"
		}
	}
}
