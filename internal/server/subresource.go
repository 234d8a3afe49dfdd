package server

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// A subresource is a resource below the objects of another one: /books/{name}/status. It is found,
// described and allowed under both names, "books/status".

// keyOf is where route finds a resource.
func keyOf(r *rest.Resource) schema.GroupVersionResource {
	return r.GroupVersion.WithResource(r.FullName())
}

// checkSubresource says what is wrong with a subresource, whose own names are checked like those of
// any resource.
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
	if r.Connect != nil && (r.Subresource == "" || r.Get != nil || r.Create != nil || r.Update != nil || r.Patch != nil || r.Delete != nil) {
		bad("only a subresource can be connected to, and then it has no other verbs")
	}
	for _, method := range r.ConnectMethods {
		if rest.ConnectVerb(method) == "" || r.Connect == nil {
			bad(fmt.Sprintf("there is no Connect, or none with the method %q", method))
		}
	}
	if r.NewBody != nil && r.BodyKind.Empty() {
		bad("it makes bodies of a kind that it does not name: set BodyKind")
	}
	sent := r.Create != nil || r.Update != nil || r.Patch != nil
	if r.NewBody == nil && sent && !r.BodyKind.Empty() && c.Scheme != nil && !c.Scheme.Recognizes(r.BodyKind) {
		bad(fmt.Sprintf("the scheme does not know the kind of its bodies, %s: set NewBody", r.BodyKind))
	}
	return errors.Join(errs...)
}
