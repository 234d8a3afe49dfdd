package registry

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

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
func (e *endpoint) received(obj runtime.Object, text []byte) (hub runtime.Object, from *origin, err error) {
	if text != nil && !e.kind.Protobuf() {
		misfits, err := document.Misfits(text, e.documents.shape, rules.Enough)
		if err != nil {
			return hub, nil, err
		}
		if len(misfits) > 0 {
			return hub, nil, e.invalid(runtime.Meta(obj).Name, misfits)
		}
	}
	if text == nil || !e.showsDocuments() {
		hub, err = e.defaulted(e.kind, obj)
		return hub, nil, err
	}
	obj, from, err = e.codec.received(e.documents, obj, text)
	if err != nil {
		return hub, nil, err
	}
	if hub, err = e.codec.storage.ToHub(obj); err != nil || hub == obj {
		return hub, from, err
	}
	if obj, err = e.codec.fromHub(hub); err != nil {
		return hub, nil, err
	}
	printed, err := e.codec.documents.print(obj)
	return hub, &origin{from.document, printed}, err
}

// misread is the status of an object whose text could not be read; nil if it is of no field.
// strict says that it is refused for its unknown fields before.
func (e *endpoint) misread(text []byte, strict bool) error {
	errs, unknown := document.Mistyped(text, reflect.TypeOf(e.kind.New()), rest.MaxViolations+1)
	if len(errs) == 0 {
		return nil
	}
	if strict && len(unknown) > 0 {
		return apierrors.NewBadRequest("strict decoding error: unknown field " + strings.Join(unknown, ", unknown field "))
	}
	var said struct{ Metadata struct{ Name string } }
	_ = json.Unmarshal(text, &said) // the name is for the message
	return e.invalid(said.Metadata.Name, errs)
}

// countedOrigin is the origin of the object that counted makes of a sent one, which was made of
// from, and of the stored one.
func (e *endpoint) countedOrigin(from *origin, current []byte) (*origin, error) {
	old, err := e.codec.originOf(current)
	switch {
	case err != nil || from == nil || e.subresource != "" && e.subresource != subresourceStatus:
		return old, err
	case e.subresource == subresourceStatus:
		return &origin{old.document.WithStatus(from.document), old.printed.WithStatus(from.printed)}, nil
	case e.def.CopyStatus != nil:
		return &origin{from.document.WithStatus(old.document), from.printed.WithStatus(old.printed)}, nil
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
