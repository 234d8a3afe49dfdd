package rbac

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// uncovered returns what of rules is not in have, each rule with one verb, resource and name. Names that have lists one by
// one are not all names.
func uncovered(have, rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	var missing []rbacv1.PolicyRule
	for i := range rules {
		for _, part := range atoms(&rules[i]) {
			if !slices.ContainsFunc(have, func(r rbacv1.PolicyRule) bool { return covers(&r, &part) }) {
				missing = append(missing, part)
			}
		}
	}
	return missing
}

// atoms takes a rule apart, so that each part is in one rule of somebody's or in none.
func atoms(r *rbacv1.PolicyRule) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for _, verb := range r.Verbs {
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				one := rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}}
				if len(r.ResourceNames) == 0 {
					out = append(out, one)
				}
				for _, name := range r.ResourceNames {
					one.ResourceNames = []string{name}
					out = append(out, one)
				}
			}
		}
		for _, path := range r.NonResourceURLs {
			out = append(out, rbacv1.PolicyRule{Verbs: []string{verb}, NonResourceURLs: []string{path}})
		}
	}
	return out
}

// covers says whether a rule gives all that an atom does.
func covers(r, atom *rbacv1.PolicyRule) bool {
	if !has(r.Verbs, atom.Verbs[0]) {
		return false
	}
	if len(atom.NonResourceURLs) > 0 {
		return slices.ContainsFunc(r.NonResourceURLs, func(pattern string) bool { return pathMatches(pattern, atom.NonResourceURLs[0]) })
	}
	resource, subresource, _ := strings.Cut(atom.Resources[0], "/")
	if !has(r.APIGroups, atom.APIGroups[0]) || !resourceMatches(r.Resources, resource, subresource) {
		return false
	}
	return len(r.ResourceNames) == 0 || len(atom.ResourceNames) > 0 && slices.Contains(r.ResourceNames, atom.ResourceNames[0])
}

// describe is a rule in an error, in the words of Kubernetes.
func describe(r *rbacv1.PolicyRule) string {
	var parts []string
	for _, part := range []struct {
		name string
		list []string
	}{{"APIGroups", r.APIGroups}, {"Resources", r.Resources}, {"NonResourceURLs", r.NonResourceURLs}, {"ResourceNames", r.ResourceNames}, {"Verbs", r.Verbs}} {
		if len(part.list) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", part.name, part.list))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// compact joins atoms of one resource that differ in their verb only.
func compact(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	var out []rbacv1.PolicyRule
	for _, r := range rules {
		i := slices.IndexFunc(out, func(o rbacv1.PolicyRule) bool {
			return slices.Equal(o.APIGroups, r.APIGroups) && slices.Equal(o.Resources, r.Resources) && slices.Equal(o.ResourceNames, r.ResourceNames) && slices.Equal(o.NonResourceURLs, r.NonResourceURLs)
		})
		if i < 0 {
			r.Verbs = slices.Clone(r.Verbs)
			out = append(out, r)
			continue
		}
		out[i].Verbs = append(out[i].Verbs, r.Verbs...)
	}
	return out
}
