package server

import (
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// create answers POST to a collection, and to a subresource that makes something of an object.
func (s *Server) create(c *call) error {
	rep, body, err := s.beginWrite(c)
	if err != nil {
		return err
	}
	opts, err := createOptions(c.query)
	if err != nil {
		return err
	}
	obj, err := s.decodeOptional(c, body, opts.FieldValidation)
	if err != nil {
		return err
	}
	setDefault(&opts.FieldManager, c.manager())
	name := rest.Name{Namespace: c.name().Namespace, Name: obj.GetName()}
	if c.resource.Subresource != "" {
		if name = c.name(); obj.GetName() != "" {
			if err := checkUpdateName(obj, name); err != nil {
				return err
			}
		}
	}
	view, err := c.resource.Create.Create(c.ctx, &c.request, name, obj, opts)
	if err != nil {
		return err
	}
	return s.sendWritten(c, true, view, rep)
}

// decodeOptional is decode for a body that need not be there, if the resource says so.
func (s *Server) decodeOptional(c *call, body []byte, fieldValidation string) (runtime.Object, error) {
	if len(body) > 0 || !c.resource.BodyOptional {
		return s.decode(c, body, fieldValidation)
	}
	obj := c.resource.NewBody()
	obj.GetObjectKind().SetGroupVersionKind(c.resource.SentKind())
	return obj, nil
}
