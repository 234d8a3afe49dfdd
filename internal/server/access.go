package server

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/trace"
)

// publicPaths answer everybody, but tell nothing in detail to somebody without a credential.
var publicPaths = map[string]bool{"/healthz": true, "/livez": true, "/readyz": true, "/version": true}

// openPath says that a path answers every user whom we know, whatever the authorizer thinks: a
// health check must not depend on policy.
func openPath(path string) bool {
	if publicPaths[path] {
		return true
	}
	for _, root := range []string{"/healthz", "/livez", "/readyz"} {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}

// known says that the request came with a credential. Whoever shows none hears nothing in detail,
// with a name or without.
func (c *call) known() bool { return c.user != nil && !c.user.In(auth.GroupUnauthenticated) }

// shown is the user who showed the credential. It is the user who acts, or who asks to act as
// another.
func (c *call) shown() *auth.User {
	if c.impersonator != nil {
		return c.impersonator
	}
	return c.user
}

// authenticate finds the user. A wrong credential is worth as much as none. That the server can't
// know yet is no wrong credential.
func (s *Server) authenticate(c *call) error {
	user, err := s.config.Authenticator.Authenticate(c.req)
	if err != nil {
		s.config.Log.Debug("a credential was refused", "error", err, "remote", c.req.RemoteAddr)
		user = nil
	}
	auth.DropSecrets(c.req.Header)
	if apierrors.IsServiceUnavailable(err) && !publicPaths[c.info.Path] {
		return err
	}
	if user == nil && !publicPaths[c.info.Path] {
		return apierrors.NewUnauthorized("Unauthorized")
	}
	c.user = user
	return nil
}

// authorize asks whether the user may have what the path names.
func (s *Server) authorize(c *call) error {
	if !c.info.IsResource && openPath(c.info.Path) && (c.known() || publicPaths[c.info.Path]) {
		return nil
	}
	return s.may(c, c.info.Verb)
}

// may asks whether the user may do verb where the path says.
func (s *Server) may(c *call, verb string) error {
	attributes := auth.Attributes{
		User:          c.user,
		Verb:          verb,
		Group:         c.info.Group,
		Version:       c.info.Version,
		Resource:      c.info.Resource,
		Subresource:   c.info.Subresource,
		Namespace:     c.info.Namespace,
		Name:          c.info.Name,
		FieldSelector: c.info.FieldSelector,
		LabelSelector: c.info.LabelSelector,
		IsResource:    c.info.IsResource,
		Path:          c.info.Path,
	}
	return s.allows(c, attributes)
}

// allows asks the Authorizer, and makes a status of a no.
func (s *Server) allows(c *call, a auth.Attributes) error {
	ctx, step := trace.Begin(c.ctx, "authorize")
	decision, reason, err := s.config.Authorizer.Authorize(ctx, a)
	step.End(err)
	if a.Verb == c.info.Verb && (err == nil || decision == auth.Allow) {
		c.recordDecision(decision == auth.Allow, reason)
	}
	switch {
	case decision == auth.Allow:
		return nil
	case err != nil && decision == auth.NoOpinion:
		return apierrors.NewInternalError(fmt.Errorf("authorization: %w", err))
	}
	return forbidden(a, reason)
}

// mayCreate makes the request say whether the write may make the object if there is none: that is
// another right than to change one.
func (s *Server) mayCreate(c *call) { c.request.CreateDenied = s.may(c, "create") }

// htmlEscaper keeps a message that repeats the client's words from being taken for HTML.
var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// forbidden words a refusal as Kubernetes does; people and tests look for the exact text.
func forbidden(a auth.Attributes, reason string) error {
	text := forbiddenText(a)
	if reason != "" {
		text += ": " + reason
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: a.Group, Resource: a.Resource}, a.Name, fmt.Errorf("%s", text))
}

func forbiddenText(a auth.Attributes) string {
	name := ""
	if a.User != nil {
		name = a.User.Name
	}
	if !a.IsResource {
		return htmlEscaper.Replace(fmt.Sprintf("User %q cannot %s path %q", name, a.Verb, a.Path))
	}
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	scope := "at the cluster scope"
	if a.Namespace != "" {
		scope = fmt.Sprintf("in the namespace %q", a.Namespace)
	}
	return htmlEscaper.Replace(fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", name, a.Verb, resource, a.Group, scope))
}
