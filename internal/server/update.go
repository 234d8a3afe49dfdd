package server

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// update answers PUT of one object.
func (s *Server) update(c *call) error {
	rep, body, err := s.beginWrite(c)
	if err != nil {
		return err
	}
	opts, err := updateOptions(c.query)
	if err != nil {
		return err
	}
	obj, err := s.decode(c, body, opts.FieldValidation)
	if err != nil {
		return err
	}
	if err := checkUpdateName(obj, c.name()); err != nil {
		return err
	}
	setDefault(&opts.FieldManager, c.manager())
	s.mayCreate(c)
	view, created, err := c.resource.Update.Update(c.ctx, &c.request, c.name(), obj, opts)
	if err != nil {
		return err
	}
	return s.sendWritten(c, created, view, rep)
}

// checkUpdateName: an object can't be renamed or moved, so the body has to be the object that the
// path names.
func checkUpdateName(obj runtime.Object, name rest.Name) error {
	switch {
	case obj.GetName() == "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name.Name))
	case obj.GetName() != name.Name:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", obj.GetName(), name.Name))
	case name.Namespace != "" && obj.GetNamespace() != "" && obj.GetNamespace() != name.Namespace:
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}
