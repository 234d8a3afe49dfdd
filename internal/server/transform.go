package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// transform is the kind into which a clause of Accept wants the answer changed
// ("as=Table;v=v1;g=meta.k8s.io").
type transform struct{ kind, group, version string }

// The kinds that objects and lists can be turned into. The list of metadata is one that clients
// have to ask for by name.
const (
	asTable       = "Table"
	asPartial     = "PartialObjectMetadata"
	asPartialList = "PartialObjectMetadataList"
)

// fits says whether objects can be turned into this kind, and the kind be written as mediaType.
func (t transform) fits(mediaType rest.MediaType) bool {
	if t.group != metav1.GroupName {
		return false
	}
	if t.version != "v1" && t.version != "v1beta1" {
		return false
	}
	switch t.kind {
	case asTable:
		// Cells are of any type, for which protobuf has no form.
		return mediaType != rest.Protobuf
	case asPartial, asPartialList:
		return true
	}
	return false
}

// transformed adds to a form what the client wants the answer turned into. It is a shapeError to
// ask for one object's metadata where the answer is a list, and the other way round. A watch is of
// both.
func (c *call) transformed(form rest.Form, t transform) (rest.Form, error) {
	isList := c.info.Verb == "list" || c.info.Verb == "deletecollection"
	if t.kind != "" && t.version != metav1.SchemeGroupVersion.Version {
		form.AsVersion = t.version
	}
	switch {
	case t.kind == asTable:
		include, err := includeObject(c.query.Get("includeObject"))
		if err != nil {
			return form, err
		}
		form.As, form.IncludeObject = rest.AsTable, include
	case t.kind == asPartial && isList:
		return form, wrongShape("you requested PartialObjectMetadata, but the requested object is a list (%s)", c.resource.ListKind)
	case t.kind == asPartialList && !isList && c.info.Verb != "watch":
		return form, wrongShape("you requested PartialObjectMetadataList, but the requested object is not a list (%s)", c.resource.Kind)
	case t.kind != "":
		form.As = rest.AsPartialObjectMetadata
	}
	return form, nil
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
	form, err := c.form(mediaTypes)
	var shape shapeError
	if err != nil && !errors.As(err, &shape) {
		return err
	}
	view, readErr := read()
	if err := cmp.Or(readErr, err); err != nil {
		return err
	}
	return c.send(http.StatusOK, view, form)
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
