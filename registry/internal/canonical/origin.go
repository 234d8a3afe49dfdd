package canonical

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime"
	apimachineryjson "github.com/typeplane/typeplane/runtime/json/apimachinery"
	apimachineryprotobuf "github.com/typeplane/typeplane/runtime/protobuf/apimachinery"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Objects of a kind without protobuf are stored as the documents that were sent. Everything that
// looks at an object or changes it works on a Go value, as for other kinds. The document that it
// was made of goes beside it. What was changed is done to that when the object is encoded.

// Received makes an object of the storage version, as it is to be written, of one of a version that
// shares its JSON, which was read of text. obj belongs to it.
func (c *Codec) Received(in *Documents, obj runtime.Object, text []byte) (runtime.Object, *Origin, error) {
	obj, from, err := in.Received(obj, text)
	if err != nil || in.kind == c.Storage {
		return obj, from, err
	}
	doc, _, err := document.Read(from.Document.AppendObject(nil), c.Documents.Shape)
	if err != nil {
		return nil, nil, err
	}
	if obj, err = c.Documents.Read(doc, runtime.Meta(obj)); err != nil {
		return nil, nil, err
	}
	return c.Documents.defaulted(obj, doc)
}

// OriginOf is what the object of an entry was made of, that an update begins with: value is
// canonical. It is nil for other kinds.
func (c *Codec) OriginOf(value []byte) (*Origin, error) {
	if !c.keepsDocuments() {
		return nil, nil
	}
	_, doc, err := parts(value)
	if err != nil {
		return nil, err
	}
	obj, err := c.Decode(value)
	if err != nil {
		return nil, err
	}
	return c.throughHub(obj, doc)
}

// throughHub is the origin of an object of the storage version, as it is printed when it comes back
// from the hub. obj belongs to it.
func (c *Codec) throughHub(obj runtime.Object, doc document.Document) (*Origin, error) {
	hub, err := c.Storage.ToHub(obj)
	if err != nil {
		return nil, err
	}
	if obj, err = c.FromHub(hub); err != nil {
		return nil, err
	}
	printed, err := c.Documents.Print(obj)
	return &Origin{doc, printed}, err
}

// nothing is the origin of an object that nobody has sent: an empty one, so that only what differs
// from that is stored.
func (c *Codec) nothing() (*Origin, error) {
	hub, err := c.Scheme.NewHub(c.hub)
	if err != nil {
		return nil, err
	}
	obj, err := c.FromHub(hub)
	if err != nil {
		return nil, err
	}
	printed, err := c.Documents.Print(obj)
	return &Origin{Printed: printed}, err
}

// document is what is to be stored of an object of the storage version, which was made of from;
// nil: of nothing that is kept.
func (c *Codec) document(obj runtime.Object, from *Origin) (document.Document, error) {
	printed, err := c.Documents.Print(obj)
	if err != nil {
		return printed, err
	}
	if from == nil {
		if from, err = c.nothing(); err != nil {
			return printed, err
		}
	}
	if printed.Equal(from.Printed) {
		return from.Document, nil
	}
	doc, err := from.Document.Change(from.Printed, printed, c.Documents.Shape)
	if err != nil {
		return doc, err
	}
	// What is there now may have defaults inside.
	again, err := c.Documents.Read(doc, runtime.Meta(obj))
	if err != nil {
		return doc, err
	}
	_, settled, err := c.Documents.Received(again, doc.AppendObject(nil))
	if err != nil {
		return doc, err
	}
	return settled.Document, nil
}

// documentValue makes the canonical value of a document, with the metadata of obj, out of which it
// takes the resourceVersion and the selfLink.
func (c *Codec) documentValue(obj runtime.Object, doc document.Document) ([]byte, error) {
	meta, err := runtime.Meta(stripped(obj)).Marshal()
	if err != nil {
		return nil, err
	}
	return wire.AppendEnvelope(nil, c.apiVersion, c.kind, doc.AppendMessage(nil, meta)), nil
}

// parts takes a canonical document apart. Both share memory with value.
func parts(value []byte) (*metav1.ObjectMeta, document.Document, error) {
	encoded, doc, err := encodedParts(value)
	if err != nil {
		return nil, doc, err
	}
	meta := new(metav1.ObjectMeta)
	return meta, doc, apimachineryprotobuf.UnmarshalShared_ObjectMeta(encoded, meta)
}

// encodedParts is parts without decoding the metadata.
func encodedParts(value []byte) (meta []byte, _ document.Document, err error) {
	message, err := wire.Message(value)
	if err != nil {
		return nil, document.Document{}, err
	}
	return document.ReadMessage(message)
}

// AppendDocument appends an object in JSON, behind a head as appendHead has it.
func AppendDocument(dst []byte, head string, meta *metav1.ObjectMeta, doc document.Document) ([]byte, error) {
	dst, err := apimachineryjson.AppendJSON_ObjectMeta(appendHead(dst, head), meta)
	return append(doc.Append(dst), '}'), err
}

// HeadOf is how an object of a kind begins that says what it is.
func HeadOf(kind *runtime.Kind) string {
	return `{"kind":` + strconv.Quote(kind.GroupVersionKind().Kind) + `,"apiVersion":` + strconv.Quote(kind.GroupVersionKind().GroupVersion().String())
}

// appendHead appends what an object in JSON has before its metadata: head says its kind, or is "{"
// if it does not.
func appendHead(dst []byte, head string) []byte {
	dst = append(dst, head...)
	if head != "{" {
		dst = append(dst, ',')
	}
	return append(dst, `"metadata":`...)
}

// WithoutStatus is the origin of a new object whose status is that of empty, an object of the hub.
func (c *Codec) WithoutStatus(from *Origin, empty runtime.Object) (*Origin, error) {
	if from == nil {
		return nil, nil
	}
	obj, err := c.FromHub(empty)
	if err != nil {
		return nil, err
	}
	printed, err := c.Documents.Print(obj)
	return &Origin{
		Document: document.Document{Members: from.Document.Members},
		Printed:  document.Document{Members: from.Printed.Members, Status: printed.Status},
	}, err
}
