package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
)

// transformed adds to a form what the client wants the answer turned into. It is a shapeError to
// ask for one object's metadata where the answer is a list, and the other way round. A watch is of
// both.
func (c *call) transformed(rep rest.Representation, t negotiate.Transform) (rest.Representation, error) {
	isList := c.info.Verb == "list" || c.info.Verb == "deletecollection"
	if t.Kind != "" && t.Version != metav1.SchemeGroupVersion.Version {
		rep.AsVersion = t.Version
	}
	switch {
	case t.Kind == negotiate.Table:
		include, err := includeObject(c.query.Get("includeObject"))
		if err != nil {
			return rep, err
		}
		rep.As, rep.IncludeObject = rest.AsTable, include
	case t == negotiate.Steps:
		return rep, c.wantSteps()
	case t.Kind == negotiate.Partial && isList:
		return rep, wrongShape("you requested PartialObjectMetadata, but the requested object is a list (%s)", c.resource.ListKind)
	case t.Kind == negotiate.PartialList && !isList && c.info.Verb != "watch":
		return rep, wrongShape("you requested PartialObjectMetadataList, but the requested object is not a list (%s)", c.resource.Kind)
	case t.Kind != "":
		rep.As = rest.AsPartialObjectMetadata
	}
	return rep, nil
}

// shapeError says that the answer can't be turned into what the client wants.
type shapeError struct{ error }

func (e shapeError) Unwrap() error { return e.error }

func wrongShape(format, kind string) error {
	return shapeError{statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, fmt.Sprintf(format, kind))}
}

// sendRead answers with what read returns. That there is nothing to show comes before that it can't
// be shown as the client wants.
func (c *call) sendRead(read func() (rest.View, error)) error {
	rep, err := c.representation(negotiate.MediaTypes)
	var shape shapeError
	if err != nil && !errors.As(err, &shape) {
		return err
	}
	view, readErr := read()
	if err := cmp.Or(readErr, err); err != nil {
		return err
	}
	return c.send(http.StatusOK, view, rep)
}

// includeObject reads what shall be in the rows of a Table.
func includeObject(value string) (metav1.IncludeObjectPolicy, error) {
	switch policy := metav1.IncludeObjectPolicy(value); policy {
	case "", metav1.IncludeMetadata, metav1.IncludeObject, metav1.IncludeNone:
		return policy, nil
	}
	err := field.Invalid(field.NewPath("includeObject"), value, "must be 'Metadata', 'Object', 'None', or empty")
	return "", apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: %v", err))
}
