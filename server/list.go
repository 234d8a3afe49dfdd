package server

import "net/http"

// list answers GET and HEAD of a collection.
func (s *Server) list(c *call) error {
	form, err := c.form(mediaTypes)
	if err != nil {
		return err
	}
	opts, err := listOptions(c.info, c.query)
	if err != nil {
		return err
	}
	view, err := c.resource.List.List(c.ctx, c.name().Namespace, opts)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, view, form)
}
