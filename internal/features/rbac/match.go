package rbac

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/typeplane/typeplane/auth"
)

// all stands for every verb, group, resource or path.
const all = "*"

// ruleAllows says whether the rule is about the request.
func ruleAllows(r *rbacv1.PolicyRule, a *auth.Attributes) bool {
	if !has(r.Verbs, a.Verb) {
		return false
	}
	if !a.IsResource {
		return slices.ContainsFunc(r.NonResourceURLs, func(pattern string) bool { return pathMatches(pattern, a.Path) })
	}
	return has(r.APIGroups, a.Group) && resourceMatches(r.Resources, a.Resource, a.Subresource) &&
		(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, a.Name))
}

// has says whether the list names one or all.
func has(list []string, one string) bool {
	return slices.Contains(list, all) || slices.Contains(list, one)
}

// resourceMatches: "pods" is not about "pods/status"; "*/scale" is about the scale of whatever has
// one.
func resourceMatches(list []string, resource, subresource string) bool {
	if subresource == "" {
		return has(list, resource)
	}
	return has(list, resource+"/"+subresource) || slices.Contains(list, all+"/"+subresource)
}

// pathMatches: a star at the end of a pattern stands for whatever follows.
func pathMatches(pattern, path string) bool {
	if pattern == path {
		return true
	}
	prefix, open := strings.CutSuffix(pattern, all)
	return open && strings.HasPrefix(path, strings.TrimRight(prefix, all))
}

// subjectIs says whether a subject of a binding is the user. namespace is that of the binding, ""
// for a cluster's.
func subjectIs(s *rbacv1.Subject, user *auth.User, namespace string) bool {
	switch s.Kind {
	case rbacv1.UserKind:
		return user.Name == s.Name
	case rbacv1.GroupKind:
		return user.In(s.Name)
	case rbacv1.ServiceAccountKind:
		if s.Namespace != "" {
			namespace = s.Namespace
		}
		return namespace != "" && user.Name == auth.ServiceAccountName(namespace, s.Name)
	}
	return false
}
