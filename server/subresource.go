package server

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// A subresource is a resource below the objects of another one: /books/{name}/status. It is found, described and
// allowed under both names, "books/status".

// fullName is how a resource is called in discovery and looked up.
func fullName(resource, subresource string) string {
	if subresource == "" {
		return resource
	}
	return resource + "/" + subresource
}

// keyOf is where route finds a resource.
func keyOf(r *rest.Resource) schema.GroupVersionResource {
	return r.GroupVersion.WithResource(fullName(r.Name, r.Subresource))
}

// bodyKind is the kind of what is sent to a resource and received from it.
func bodyKind(r *rest.Resource) schema.GroupVersionKind {
	if r.BodyKind.Empty() {
		return r.GroupVersion.WithKind(r.Kind)
	}
	return r.BodyKind
}

// checkSubresource says what is wrong with a subresource, whose own names are checked like those of any resource.
func (c *Config) checkSubresource(r *rest.Resource, served map[schema.GroupVersionResource]bool) error {
	var errs []error
	bad := func(problem string) {
		errs = append(errs, fmt.Errorf("server: resource %s: %s", keyOf(r), problem))
	}
	if r.Subresource != "" && !served[r.GroupVersion.WithResource(r.Name)] {
		bad("there is no resource that it is a subresource of")
	}
	if r.Subresource != "" && (r.List != nil || r.Watch != nil || r.DeleteCollection != nil) {
		bad("a subresource is no collection: it has no List, Watch or DeleteCollection")
	}
	if r.NewBody != nil && r.BodyKind.Empty() {
		bad("it makes bodies of a kind that it does not name: set BodyKind")
	}
	if r.NewBody == nil && !r.BodyKind.Empty() && c.Scheme != nil && !c.Scheme.Recognizes(r.BodyKind) {
		bad(fmt.Sprintf("the scheme does not know the kind of its bodies, %s: set NewBody", r.BodyKind))
	}
	return errors.Join(errs...)
}
