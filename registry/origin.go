package registry

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime"
	apimachineryjson "github.com/typeplane/typeplane/runtime/json/apimachinery"
	apimachineryprotobuf "github.com/typeplane/typeplane/runtime/protobuf/apimachinery"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Objects of a kind without protobuf are stored as the documents that were sent. Everything that
// looks at an object or changes it works on a Go value, as for other kinds. Beside it goes the
// document that it was made of. What was changed is done to that when the object is encoded.

// received makes an object of the storage version, as it is to be written, of one of a version that
// shares its JSON, which was read of text. obj belongs to it.
func (c *codec) received(in *documents, obj runtime.Object, text []byte) (runtime.Object, *origin, error) {
	obj, from, err := in.received(obj, text)
	if err != nil || in.kind == c.storage {
		return obj, from, err
	}
	doc, _, err := document.Read(from.document.AppendObject(nil), c.documents.shape)
	if err != nil {
		return nil, nil, err
	}
	if obj, err = c.documents.read(doc, runtime.Meta(obj)); err != nil {
		return nil, nil, err
	}
	return c.documents.defaulted(obj, doc)
}

// originOf is what the object of an entry was made of, that an update begins with: value is
// canonical. It is nil for other kinds.
func (c *codec) originOf(value []byte) (*origin, error) {
	if !c.keepsDocuments() {
		return nil, nil
	}
	_, doc, err := parts(value)
	if err != nil {
		return nil, err
	}
	obj, err := c.decode(value)
	if err != nil {
		return nil, err
	}
	return c.throughHub(obj, doc)
}

// throughHub is the origin of an object of the storage version, as it is printed when it comes back
// from the hub. obj belongs to it.
func (c *codec) throughHub(obj runtime.Object, doc document.Document) (*origin, error) {
	hub, err := c.storage.ToHub(obj)
	if err != nil {
		return nil, err
	}
	if obj, err = c.fromHub(hub); err != nil {
		return nil, err
	}
	printed, err := c.documents.print(obj)
	return &origin{doc, printed}, err
}

// nothing is the origin of an object that nobody has sent: an empty one, so that only what differs
// from that is stored.
func (c *codec) nothing() (*origin, error) {
	hub, err := c.scheme.NewHub(c.hub)
	if err != nil {
		return nil, err
	}
	obj, err := c.fromHub(hub)
	if err != nil {
		return nil, err
	}
	printed, err := c.documents.print(obj)
	return &origin{printed: printed}, err
}

// document is what is to be stored of an object of the storage version, which was made of from;
// nil: of nothing that is kept.
func (c *codec) document(obj runtime.Object, from *origin) (document.Document, error) {
	printed, err := c.documents.print(obj)
	if err != nil {
		return printed, err
	}
	if from == nil {
		if from, err = c.nothing(); err != nil {
			return printed, err
		}
	}
	if printed.Equal(from.printed) {
		return from.document, nil
	}
	doc, err := from.document.Change(from.printed, printed, c.documents.shape)
	if err != nil {
		return doc, err
	}
	// What is there now may have defaults inside.
	again, err := c.documents.read(doc, runtime.Meta(obj))
	if err != nil {
		return doc, err
	}
	_, settled, err := c.documents.received(again, doc.AppendObject(nil))
	if err != nil {
		return doc, err
	}
	return settled.document, nil
}

// documentValue makes the canonical value of a document, with the metadata of obj, out of which it
// takes the resourceVersion and the selfLink.
func (c *codec) documentValue(obj runtime.Object, doc document.Document) ([]byte, error) {
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

// appendDocument appends an object in JSON, behind a head as appendHead has it.
func appendDocument(dst []byte, head string, meta *metav1.ObjectMeta, doc document.Document) ([]byte, error) {
	dst, err := apimachineryjson.AppendJSON_ObjectMeta(appendHead(dst, head), meta)
	return append(doc.Append(dst), '}'), err
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

// withoutStatus is the origin of a new object whose status is that of empty, an object of the hub.
func (c *codec) withoutStatus(from *origin, empty runtime.Object) (*origin, error) {
	if from == nil {
		return nil, nil
	}
	obj, err := c.fromHub(empty)
	if err != nil {
		return nil, err
	}
	printed, err := c.documents.print(obj)
	return &origin{
		document: document.Document{Members: from.document.Members},
		printed:  document.Document{Members: from.printed.Members, Status: printed.Status},
	}, err
}
