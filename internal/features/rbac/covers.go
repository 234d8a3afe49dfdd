package rbac

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// uncovered returns what of rules is not in have, each rule with one verb, resource and name. Names
// that have lists one by one are not all names.
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

// maxParts is how many atoms somebody's rules may have to be compared one by one: some kilobytes
// can stand for billions.
const maxParts = 100_000

// parts is how many atoms rules have.
func parts(rules []rbacv1.PolicyRule) (n float64) {
	for i := range rules {
		r := &rules[i]
		named := float64(len(r.APIGroups)) * float64(len(r.Resources)) * float64(max(1, len(r.ResourceNames)))
		n += float64(len(r.Verbs)) * (named + float64(len(r.NonResourceURLs)))
	}
	return n
}

// plain returns rules without repetitions in their lists. It leaves out those that a rule of have
// covers as a whole, since they need not be taken apart.
func plain(have, rules []rbacv1.PolicyRule) (out []rbacv1.PolicyRule) {
	for _, r := range rules {
		r.Verbs, r.APIGroups, r.Resources = once(r.Verbs), once(r.APIGroups), once(r.Resources)
		r.ResourceNames, r.NonResourceURLs = once(r.ResourceNames), once(r.NonResourceURLs)
		if !slices.ContainsFunc(have, func(h rbacv1.PolicyRule) bool { return coversWhole(&h, &r) }) {
			out = append(out, r)
		}
	}
	return out
}

// once returns a list with each text once.
func once(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		twice := seen[s]
		seen[s] = true
		return twice
	})
}

// coversWhole says whether have gives all that a rule without paths does.
func coversWhole(have, r *rbacv1.PolicyRule) bool {
	each := func(list []string, given func(string) bool) bool {
		return !slices.ContainsFunc(list, func(s string) bool { return !given(s) })
	}
	resource := func(s string) bool {
		name, subresource, _ := strings.Cut(s, "/")
		return resourceMatches(have.Resources, name, subresource)
	}
	return len(r.NonResourceURLs) == 0 &&
		each(r.Verbs, func(s string) bool { return has(have.Verbs, s) }) &&
		each(r.APIGroups, func(s string) bool { return has(have.APIGroups, s) }) &&
		each(r.Resources, resource) &&
		(len(have.ResourceNames) == 0 || len(r.ResourceNames) > 0 && each(r.ResourceNames, func(s string) bool { return slices.Contains(have.ResourceNames, s) }))
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
	at := map[string]int{} // by what is the same
	for _, r := range rules {
		verbs := slices.Clone(r.Verbs)
		r.Verbs = nil
		what := describe(&r)
		i, known := at[what]
		if !known {
			i = len(out)
			at[what], out = i, append(out, r)
		}
		out[i].Verbs = append(out[i].Verbs, verbs...)
	}
	return out
}
