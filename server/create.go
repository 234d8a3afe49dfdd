package server

import (
	"net/http"

	"github.com/typeplane/typeplane/registry/rest"
)

// create answers POST to a collection.
func (s *Server) create(c *call) error {
	form, err := c.form(mediaTypes)
	if err != nil {
		return err
	}
	body, err := s.readBody(c)
	if err != nil {
		return err
	}
	opts, err := createOptions(c.query)
	if err != nil {
		return err
	}
	obj, err := s.decode(c, body, opts.FieldValidation)
	if err != nil {
		return err
	}
	setDefault(&opts.FieldManager, c.manager())
	name := rest.Name{Namespace: c.name().Namespace, Name: obj.GetObjectMeta().GetName()}
	view, err := c.resource.Create.Create(c.ctx, name, obj, opts)
	if err != nil {
		return err
	}
	return c.send(http.StatusCreated, view, form)
}
