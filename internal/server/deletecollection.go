package server

import "net/http"

// deleteCollection answers DELETE of a collection: the query says which objects, the body (or the
// query) how.
func (s *Server) deleteCollection(c *call) error {
	rep, body, err := s.beginWrite(c)
	if err != nil {
		return err
	}
	list, err := listOptions(c.info, c.query)
	if err != nil {
		return err
	}
	c.recordBody(body)
	opts, err := s.readDeleteOptions(c, body)
	if err != nil {
		return err
	}
	if err := invalidOptions("DeleteOptions", validateDeleteCollection(opts)); err != nil {
		return err
	}
	view, err := c.resource.DeleteCollection.DeleteCollection(c.ctx, &c.request, c.name().Namespace, opts, list)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, view, rep)
}
