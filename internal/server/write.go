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

// sendWritten answers a write of one object.
func (c *call) sendWritten(created bool, view rest.View, rep rest.Representation) error {
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return c.send(code, view, rep)
}
