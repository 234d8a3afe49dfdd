package registry

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/registry/internal/judge"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/rules"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// sent is an object that a client sent, and the JSON that it was read from; nil where nobody keeps
// that.
func (e *endpoint) sent(obj rest.Body) (runtime.Object, []byte) {
	if d, ok := obj.(rest.Document); ok {
		return d.Body, d.JSON
	}
	return obj, nil
}

// received is the object in a request, converted to the hub.
type received struct {
	// hub has the defaults of the request's version, and those that the storage version adds.
	hub runtime.Object
	// from is the document that hub was decoded from. It is nil if the request's version has other
	// JSON than the stored one, and for a request without JSON.
	from *canonical.Origin
	sent judge.Sent
}

// received converts obj, an object of the endpoint's version that was read from text. obj belongs
// to it.
func (e *endpoint) received(steps *rest.Steps, obj runtime.Object, text []byte) (received, error) {
	e.noteSent(steps, obj, text)
	hub, from, err := e.toBeWritten(steps, obj, text)
	if err != nil {
		return received{}, err
	}
	e.noteHub(steps, rest.StepHub, hub)
	return received{hub, from, e.sentAs(obj, text)}, nil
}

// sentAs returns what validation needs of obj, an object of the endpoint's version that was read
// from text.
func (e *endpoint) sentAs(obj runtime.Object, text []byte) judge.Sent {
	if !e.Kind.ConvertsInGo() || !e.Kind.Validates() {
		obj = nil // validation uses the hub
	}
	return judge.Sent{Text: text, Object: obj}
}

func (e *endpoint) toBeWritten(steps *rest.Steps, obj runtime.Object, text []byte) (hub runtime.Object, from *canonical.Origin, err error) {
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
		e.Kind.Default(obj)
		e.noteVersioned(steps, rest.StepDefaulted, obj)
		hub, err = e.toHub(e.Kind, obj)
		return hub, nil, err
	}
	obj, from, err = e.codec.Received(e.Documents, obj, text)
	if err != nil {
		return hub, nil, err
	}
	e.noteDocument(steps, rest.StepDefaulted, obj, from.Document)
	if hub, err = e.codec.Storage.ToHub(obj); err != nil || hub == obj {
		return hub, from, err
	}
	if obj, err = e.codec.FromHub(hub); err != nil {
		return hub, nil, err
	}
	printed, err := e.codec.Documents.Print(obj)
	return hub, &canonical.Origin{Document: from.Document, Printed: printed}, err
}

// intended is what an update wants the object to be. Each attempt takes it to pieces.
type intended struct {
	*endpoint
	body     rest.Sent
	name     rest.Name
	text     bool               // the object was sent with its text
	meta     *metav1.ObjectMeta // as it was sent
	received                    // its hub is nil once an attempt has had it
}

// next returns the object for one more attempt, and the metadata that was sent. The first attempt
// takes the object itself. For the others the body is read again; without a body every attempt
// takes a copy.
func (i *intended) next() (in received, meta *metav1.ObjectMeta, err error) {
	if i.body.Bytes == nil {
		in = i.received
		in.hub = i.deepCopy(in.hub)
		return in, i.meta, nil
	}
	if in = i.received; in.hub != nil {
		i.received = received{}
		return in, i.meta, nil
	}
	decoded, err := serializer.DecodeBody(i.codec.Scheme, i.body.Bytes, serializer.MediaType(i.body.MediaType), i.Kind.GroupVersionKind())
	if err != nil {
		return received{}, nil, badDocument(err)
	}
	meta = runtime.Meta(decoded.Object)
	if err := errors.Join(metadata.MatchName(meta, i.name), metadata.PlaceIn(meta, i.Namespaced, i.name)); err != nil {
		return received{}, nil, err
	}
	metadata.DropOwnersTwice(nil, meta, metadata.OwnersTwice) // the client has been told
	text := decoded.JSON
	if !i.text {
		text = nil
	}
	in, err = i.endpoint.received(nil, decoded.Object, text) // its steps were noted for the first attempt
	return in, meta, err
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
		return apierrors.NewRequestEntityTooLargeError("the object has too many items: to read and validate it could take too much memory; split it into several objects")
	}
	return apierrors.NewBadRequest(err.Error())
}
