package server

import (
	"net/http"

	"github.com/typeplane/typeplane/registry/rest"
)

// create answers POST to a collection, and to a subresource that makes something of an object.
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
	if c.resource.Subresource != "" {
		if name = c.name(); obj.GetObjectMeta().GetName() != "" {
			if err := checkUpdateName(obj, name); err != nil {
				return err
			}
		}
	}
	view, err := c.resource.Create.Create(c.ctx, name, obj, opts)
	if err != nil {
		return err
	}
	return c.send(http.StatusCreated, view, form)
}
