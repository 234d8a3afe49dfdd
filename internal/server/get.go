package server

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/registry/rest"
)

// get answers GET and HEAD of one object.
func (s *Server) get(c *call) error {
	return c.sendRead(c.read)
}

// read gets the object, or exports it.
func (c *call) read() (rest.View, error) {
	r, opts := c.resource, getOptions(c.query)
	switch {
	case !boolParameter(c.query, "export"):
		return r.Get.Get(c.ctx, c.name(), opts)
	case r.Export == nil:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s can't be exported: leave the parameter export out", r.FullName()))
	}
	return r.Export.Export(c.ctx, c.name(), opts, boolParameter(c.query, "exact"))
}

// name is what the path says. For a Namespace object the path has its name twice; the object is in
// none.
func (c *call) name() rest.Name {
	if !c.resource.Namespaced {
		return rest.Name{Name: c.info.Name}
	}
	return rest.Name{Namespace: c.info.Namespace, Name: c.info.Name}
}
