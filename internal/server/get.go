package server

import "github.com/typeplane/typeplane/registry/rest"

// get answers GET and HEAD of one object.
func (s *Server) get(c *call) error {
	return c.sendRead(func() (rest.View, error) {
		return c.resource.Get.Get(c.ctx, c.name(), getOptions(c.query))
	})
}

// name is what the path says. For a Namespace object the path has its name twice; the object is in
// none.
func (c *call) name() rest.Name {
	if !c.resource.Namespaced {
		return rest.Name{Name: c.info.Name}
	}
	return rest.Name{Namespace: c.info.Namespace, Name: c.info.Name}
}
