package fairness

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/auth"
)

// A Request is what schemas go by.
type Request struct {
	// User is who asks; nil is somebody without a credential.
	User *auth.User
	// Verb is that of authorization: "get", "list", "create" …
	Verb string
	// IsResource says that Group, Resource, Subresource and Namespace count, and not Path.
	IsResource                              bool
	Group, Resource, Subresource, Namespace string
	Path                                    string
	// Version and Name are only told by Dump.
	Version, Name string
}

// stranger is who sends a request without a credential.
var stranger = &auth.User{Name: "system:anonymous", Groups: []string{auth.GroupUnauthenticated}}

// user is who asks, and is never nil.
func (r *Request) user() *auth.User {
	if r.User == nil {
		return stranger
	}
	return r.User
}

// Matches says whether a schema is about the request.
func (s *Schema) Matches(r *Request) bool {
	for i := range s.Rules {
		if s.Rules[i].matches(r) {
			return true
		}
	}
	return false
}

// Flow is what the request's flow is called among those of the schema.
func (s *Schema) Flow(r *Request) string {
	switch s.By {
	case ByUser:
		return r.user().Name
	case ByNamespace:
		return r.Namespace
	}
	return ""
}

func (r *Rule) matches(req *Request) bool {
	user := req.user()
	if !slices.ContainsFunc(r.Subjects, func(s Subject) bool { return s.is(user) }) {
		return false
	}
	if !req.IsResource {
		return slices.ContainsFunc(r.Paths, func(p PathRule) bool {
			return has(p.Verbs, req.Verb) && hasPath(p.Paths, req.Path)
		})
	}
	for i := range r.Resources {
		if r.Resources[i].matches(req) {
			return true
		}
	}
	return false
}

func (s *Subject) is(user *auth.User) bool {
	switch s.Kind {
	case User:
		return s.Name == All || s.Name == user.Name
	case Group:
		return s.Name == All || slices.Contains(user.Groups, s.Name)
	case ServiceAccount:
		namespace, account, ok := serviceAccount(user.Name)
		return ok && namespace == s.Namespace && (s.Name == All || s.Name == account)
	}
	return false
}

// serviceAccount splits the name of a user who is a service account.
func serviceAccount(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, "system:serviceaccount:")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ":")
}

func (r *ResourceRule) matches(req *Request) bool {
	if !has(r.Verbs, req.Verb) || !has(r.Groups, req.Group) || !hasResource(r.Resources, req.Resource, req.Subresource) {
		return false
	}
	if req.Namespace == "" {
		return r.ClusterScope
	}
	return has(r.Namespaces, req.Namespace)
}

// has says whether names has a name.
func has(names []string, name string) bool {
	return len(names) == 1 && names[0] == All || slices.Contains(names, name)
}

// hasResource is has for "pods" and "pods/log". It joins no strings.
func hasResource(names []string, resource, subresource string) bool {
	if subresource == "" {
		return has(names, resource)
	}
	return len(names) == 1 && names[0] == All || slices.ContainsFunc(names, func(name string) bool {
		rest, ok := strings.CutPrefix(name, resource)
		return ok && len(rest) > 1 && rest[0] == '/' && rest[1:] == subresource
	})
}

// hasPath says whether a path is one of paths, or below one. A path that does not end in "*" stands
// for what is below it, too.
func hasPath(paths []string, path string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		if p == All || p == path {
			return true
		}
		folder := strings.TrimSuffix(strings.TrimSuffix(p, All), "/")
		return strings.HasPrefix(path, folder) && strings.HasPrefix(path[len(folder):], "/")
	})
}
