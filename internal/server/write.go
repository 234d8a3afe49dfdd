package server

import (
	"net/http"

	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
)

// beginWrite is what every write begins with: in which form it is answered, and the body.
func (s *Server) beginWrite(c *call) (rest.Representation, []byte, error) {
	rep, err := c.representation(negotiate.MediaTypes)
	if err != nil {
		return rep, nil, err
	}
	body, err := s.readBody(c)
	return rep, body, err
}

// sendWritten answers a write of one object. What keeps no object has no steps to show.
func (s *Server) sendWritten(c *call, created bool, view rest.View, rep rest.Representation) error {
	if steps := c.request.Steps; steps != nil {
		if len(steps.List()) == 0 {
			return notAcceptable(negotiate.ObjectTypes(c.resource, negotiate.MediaTypes))
		}
		view = stepsView{s.config.Scheme, steps, view}
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return c.send(code, view, rep)
}
