package server

import "github.com/typeplane/typeplane/registry/rest"

// list answers GET and HEAD of a collection.
func (s *Server) list(c *call) error {
	return c.sendRead(func() (rest.View, error) {
		opts, err := listOptions(c.info, c.query)
		if err != nil {
			return nil, err
		}
		return c.resource.List.List(c.ctx, c.name().Namespace, opts)
	})
}
