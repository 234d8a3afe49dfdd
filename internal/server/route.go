package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// route finds what the path names and calls the verb.
//
// Outside of the groups that are served, an unknown path is a plain "404 page not found"; inside of
// one it is a Status, which clients show to people.
func (s *Server) route(c *call) error {
	if !c.info.IsResource {
		return s.routeDocument(c)
	}
	gv := c.info.groupVersion()
	if !s.groupVersions[gv] {
		return errPageNotFound
	}
	c.resource = s.resources[gv.WithResource(c.info.fullName())]
	if c.resource == nil {
		return s.unknown(c.info)
	}
	if !pathFits(c.resource, c.info) {
		return notFound()
	}
	c.warn(c.resource.Deprecated)
	if c.info.AllNamespaces && (c.info.Item || c.info.Verb != "list" && c.info.Verb != "watch") {
		return apierrors.NewBadRequest("Namespace parameter required.")
	}
	verb := s.verb(c)
	if verb == nil {
		return s.refuseMethod(c)
	}
	return verb(c)
}

// verb is the function that answers, or nil if the resource does not have it here.
func (s *Server) verb(c *call) func(*call) error {
	r := c.resource
	if r.Connect != nil {
		return ifServed(c.info.Item && slices.Contains(r.ConnectMethods, c.req.Method), s.connect)
	}
	switch c.info.Verb {
	case "get":
		return ifServed(r.Get != nil, s.get)
	case "list":
		return ifServed(r.List != nil, s.list)
	case "watch":
		return ifServed(r.Watch != nil && c.req.Method == http.MethodGet, s.watch)
	case "create":
		return ifServed(r.Create != nil && c.info.Item == (r.Subresource != "") && oneNamespace(r, c.info), s.create)
	case "update":
		return ifServed(r.Update != nil && c.info.Item, s.update)
	case "patch":
		return ifServed(r.Patch != nil && c.info.Item, s.patch)
	case "delete":
		return ifServed(r.Delete != nil, s.delete)
	case "deletecollection":
		return ifServed(r.DeleteCollection != nil && oneNamespace(r, c.info), s.deleteCollection)
	}
	return nil
}

func ifServed(served bool, verb func(*call) error) func(*call) error {
	if !served {
		return nil
	}
	return verb
}

// pathFits says whether the resource lives at such a path: namespaced objects have a namespace in
// theirs, others have none. (The path of a Namespace object names it twice, see requestInfo.)
func pathFits(r *rest.Resource, i requestInfo) bool {
	switch {
	case len(i.Rest) > 0 && !r.ConnectBelow:
		return false
	case r.Namespaced:
		return i.Namespace != "" || !i.Item || i.AllNamespaces
	default:
		return !i.Within
	}
}

// oneNamespace: objects are created, and deleted together, in a namespace, not in all of them.
func oneNamespace(r *rest.Resource, i requestInfo) bool {
	return i.Namespace != "" || !r.Namespaced
}

// routeDocument answers paths that are not resources.
func (s *Server) routeDocument(c *call) error {
	path := c.info.Path
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	document := s.documents[path]
	if document == nil {
		return errPageNotFound
	}
	if c.req.Method != http.MethodGet && c.req.Method != http.MethodHead {
		c.w.Header().Set("Allow", "GET, HEAD")
		return methodNotAllowed()
	}
	return document(c)
}

// refuseMethod is the 405, with the methods that would work.
func (s *Server) refuseMethod(c *call) error {
	r := c.resource
	var allow []string
	add := func(served bool, methods ...string) {
		if served {
			allow = append(allow, methods...)
		}
	}
	switch {
	case c.info.WatchPath:
		add(r.Watch != nil, "GET")
	case c.info.Item:
		add(r.Create != nil && r.Subresource != "", "POST")
		add(r.Get != nil, "GET", "HEAD")
		add(r.Update != nil, "PUT")
		add(r.Patch != nil, "PATCH")
		add(r.Delete != nil, "DELETE")
		add(true, r.ConnectMethods...)
	default:
		add(r.List != nil || r.Watch != nil, "GET", "HEAD")
		add(r.Create != nil && oneNamespace(r, c.info), "POST")
		add(r.DeleteCollection != nil && oneNamespace(r, c.info), "DELETE")
	}
	c.w.Header().Set("Allow", strings.Join(allow, ", "))
	if c.info.Verb == "watch" || c.info.Verb == "list" {
		return apierrors.NewMethodNotSupported(schema.GroupResource{Group: r.GroupVersion.Group, Resource: r.Name}, c.info.Verb)
	}
	return methodNotAllowed()
}

// addIndex lists the documents at "/".
func (s *Server) addIndex() {
	s.documents["/"] = nil
	paths := slices.Sorted(maps.Keys(s.documents))
	body := encodeJSON(struct {
		Paths []string `json:"paths"`
	}{paths}, "  ")
	s.documents["/"] = func(c *call) error {
		return c.sendBytes(http.StatusOK, "application/json", body)
	}
}
