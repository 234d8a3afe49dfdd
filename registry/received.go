package registry

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/rules"
)

// sent is an object that a client sent, and the JSON that it was read from; nil where nobody keeps
// that.
func (e *endpoint) sent(obj rest.Body) (runtime.Object, []byte) {
	if d, ok := obj.(rest.Document); ok {
		return d.Body, d.JSON
	}
	return obj, nil
}

// received makes an object of the hub of one that was read of text in the endpoint's version, as
// defaulted does. It also says what the object was made of. That is nothing that is kept if the
// version has other JSON than the stored one, or if nobody has sent a text.
func (e *endpoint) received(obj runtime.Object, text []byte) (hub runtime.Object, from *canonical.Origin, err error) {
	if text != nil && !e.Kind.Protobuf() {
		misfits, err := document.Misfits(text, e.Documents.Shape, rules.Enough)
		if err != nil {
			return hub, nil, err
		}
		if len(misfits) > 0 {
			return hub, nil, e.validation().Invalid(runtime.Meta(obj).Name, misfits)
		}
	}
	if text == nil || !e.ShowsDocuments() {
		hub, err = e.defaulted(e.Kind, obj)
		return hub, nil, err
	}
	obj, from, err = e.codec.Received(e.Documents, obj, text)
	if err != nil {
		return hub, nil, err
	}
	if hub, err = e.codec.Storage.ToHub(obj); err != nil || hub == obj {
		return hub, from, err
	}
	if obj, err = e.codec.FromHub(hub); err != nil {
		return hub, nil, err
	}
	printed, err := e.codec.Documents.Print(obj)
	return hub, &canonical.Origin{Document: from.Document, Printed: printed}, err
}

// misread is the status of an object whose text could not be read; nil if it is of no field.
// strict says that it is refused for its unknown fields before.
func (e *endpoint) misread(text []byte, strict bool) error {
	errs, unknown := document.Mistyped(text, reflect.TypeOf(e.Kind.New()), rest.MaxViolations+1)
	if len(errs) == 0 {
		return nil
	}
	if strict && len(unknown) > 0 {
		return apierrors.NewBadRequest("strict decoding error: unknown field " + strings.Join(unknown, ", unknown field "))
	}
	var said struct{ Metadata struct{ Name string } }
	_ = json.Unmarshal(text, &said) // the name is for the message
	return e.validation().Invalid(said.Metadata.Name, errs)
}

// countedOrigin is the origin of the object that counted makes of a sent one, which was made of
// from, and of the stored one.
func (e *endpoint) countedOrigin(from *canonical.Origin, current []byte) (*canonical.Origin, error) {
	old, err := e.codec.OriginOf(current)
	switch {
	case err != nil || from == nil || e.subresource != "" && e.subresource != subresourceStatus:
		return old, err
	case e.subresource == subresourceStatus:
		return &canonical.Origin{Document: old.Document.WithStatus(from.Document), Printed: old.Printed.WithStatus(from.Printed)}, nil
	case e.def.CopyStatus != nil:
		return &canonical.Origin{Document: from.Document.WithStatus(old.Document), Printed: from.Printed.WithStatus(old.Printed)}, nil
	}
	return from, nil
}

// badDocument is the status of an object that can't be defaulted or converted.
func badDocument(err error) error {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return err
	}
	if errors.Is(err, runtimejson.ErrTooLarge) {
		return apierrors.NewRequestEntityTooLargeError("the object takes too much memory: it has too many items")
	}
	return apierrors.NewBadRequest(err.Error())
}
