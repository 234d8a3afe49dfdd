package policy

import (
	"context"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
)

// target is what a policy or a binding is about. It is not modified.
type target struct {
	all            bool // everything, for a binding that says nothing
	rules, exclude []admissionregistrationv1.NamedRuleWithOperations
	exact          bool
	selectors      match.Selectors
	unreadable     error
}

// newTarget reads what is matched; nil is everything.
func newTarget(m *admissionregistrationv1.MatchResources) target {
	if m == nil {
		m = new(admissionregistrationv1.MatchResources)
	}
	t := target{
		all: len(m.ResourceRules) == 0, rules: m.ResourceRules, exclude: m.ExcludeResourceRules,
		exact: m.MatchPolicy != nil && *m.MatchPolicy == admissionregistrationv1.Exact,
	}
	t.selectors, t.unreadable = match.NewSelectors(m.NamespaceSelector, m.ObjectSelector)
	return t
}

// version returns in which version a request is judged; false if the rules are not about it.
func (t *target) version(r *admission.Request) (admission.Version, bool) {
	if _, excluded := match.Version(named(t.exclude, r.Name), t.exact, r); excluded {
		return admission.Version{}, false
	}
	if t.all {
		return admission.Version{Resource: r.Resource, Kind: r.Kind}, true
	}
	return match.Version(named(t.rules, r.Name), t.exact, r)
}

// named are the rules that may be about an object of a name.
func named(rules []admissionregistrationv1.NamedRuleWithOperations, name string) (about []admissionregistrationv1.RuleWithOperations) {
	for i := range rules {
		if names := rules[i].ResourceNames; len(names) == 0 || slices.Contains(names, name) {
			about = append(about, rules[i].RuleWithOperations)
		}
	}
	return about
}

// matches is version with the selectors.
func (t *target) matches(ctx context.Context, r *admission.Request, labels match.Labels) (version admission.Version, ok bool, err error) {
	if version, ok = t.version(r); !ok {
		return version, false, nil
	}
	if t.unreadable != nil {
		return version, false, t.unreadable
	}
	ok, err = t.selectors.Select(ctx, r, labels)
	return version, ok, err
}
