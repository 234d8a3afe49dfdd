package canonical

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// Codec knows how the objects of one hub lie in a store: in which version, and in which media type
// in the database. It is immutable, except for readers.
type Codec struct {
	Scheme    *runtime.Scheme
	hub       schema.GroupKind
	Storage   *runtime.Kind
	mediaType rest.MediaType
	// Documents are those of the storage version; nil: it has protobuf.
	Documents *Documents
	// storageType is the Go type of the storage version.
	storageType reflect.Type
	// apiVersion and kind are what an envelope of the storage version says.
	apiVersion, kind string
	// head is how its objects begin in JSON, with the comma behind it.
	head []byte
	// Written is the version in which values are put into the database; nil: it is the storage
	// version.
	Written *Written
	// readers are Recyclers of the storage version, for again.
	readers sync.Pool
}

func NewCodec(scheme *runtime.Scheme, hub schema.GroupKind, gv schema.GroupVersion, mediaType rest.MediaType) (*Codec, error) {
	c := &Codec{Scheme: scheme, hub: hub, mediaType: mediaType}
	if c.mediaType == "" {
		c.mediaType = rest.Protobuf
	}
	var err error
	if c.Storage, err = c.KindIn(gv); err != nil {
		return nil, err
	}
	c.storageType = reflect.TypeOf(c.Storage.New())
	c.apiVersion, c.kind = gv.String(), c.Storage.GroupVersionKind().Kind
	c.head = []byte(HeadOf(c.Storage) + ",")
	if !c.Storage.Protobuf() {
		c.mediaType, c.Documents = rest.JSON, DocumentsOf(c.Storage)
	}
	c.readers.New = func() any { return c.Storage.Recycler() }
	return c, nil
}

// KindIn returns the kind that the hub has in a version.
func (c *Codec) KindIn(gv schema.GroupVersion) (*runtime.Kind, error) {
	for _, k := range c.Scheme.KindsOfHub(c.hub) {
		if k.GroupVersionKind().GroupVersion() == gv {
			return k, nil
		}
	}
	return nil, fmt.Errorf("%s has no version %s", c.hub, gv)
}

func (c *Codec) Form() storage.Form {
	return storage.Form{Canonical: c.canonical, Stored: c.stored}
}

// keepsDocuments says whether what is stored is the document that was sent, and not what its Go
// value writes.
func (c *Codec) keepsDocuments() bool { return c.Documents != nil }

// canonical makes the canonical value of what is in the database. It is protobuf of the storage
// version, with its defaults, without a resourceVersion. Of a version without protobuf it is the
// metadata in protobuf, and the document. It returns stored itself when that is so already. stale
// says that a write would put something else into the database.
func (c *Codec) canonical(key string, stored []byte) (value []byte, stale bool, err error) {
	defer func() {
		// Defaults and conversions may be written by hand. One object that they can't cope with
		// must not end the process.
		if r := recover(); r != nil {
			value, stale, err = nil, false, fmt.Errorf("read stored value of %s: panic: %v", key, r)
		}
	}()
	if value, err = c.valueOf(stored); err != nil {
		return nil, false, fmt.Errorf("read stored value of %s: %w", key, err)
	}
	want, err := c.stored(key, value)
	if err != nil {
		return nil, false, err
	}
	return value, !bytes.Equal(want, stored), nil
}

// valueOf is canonical without a judgment. Nearly every stored value is protobuf of the storage
// version, and canonical.
func (c *Codec) valueOf(stored []byte) ([]byte, error) {
	if c.keepsDocuments() {
		return c.valueOfDocument(stored)
	}
	envelope, err := wire.ParseEnvelope(stored)
	if err == nil && c.Storage.Protobuf() && string(envelope.APIVersion) == c.apiVersion && string(envelope.Kind) == c.kind {
		return c.again(stored, envelope.Raw)
	}
	obj, err := c.read(stored)
	if err != nil {
		return nil, err
	}
	return c.encodeStorage(obj, nil)
}

// valueOfDocument is valueOf for a version without protobuf.
func (c *Codec) valueOfDocument(stored []byte) ([]byte, error) {
	decoded, kind, err := c.decodeStored(stored)
	if err != nil {
		return nil, err
	}
	if kind.Protobuf() || !kind.SharesJSON(c.Storage) {
		obj, err := c.toStorage(kind, decoded.Object)
		if err != nil {
			return nil, err
		}
		return c.encodeStorage(obj, nil)
	}
	var obj runtime.Object
	var from *Origin
	// Nearly every stored value is as this server writes it.
	if doc, ok := document.Settled(decoded.JSON); ok && kind == c.Storage && len(decoded.Strict) == 0 && !c.Documents.Shape.Fills() {
		obj, from, err = c.Documents.defaulted(decoded.Object, doc)
	} else {
		obj, from, err = c.Received(DocumentsOf(kind), decoded.Object, decoded.JSON)
	}
	if err != nil {
		return nil, err
	}
	return c.documentValue(obj, from.Document)
}

// again encodes a message of the storage version once more, with its defaults. It returns stored,
// which is an envelope around it, when that makes no difference.
func (c *Codec) again(stored, message []byte) ([]byte, error) {
	read := c.readers.Get().(func([]byte) (runtime.Object, error))
	obj, err := read(message)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(c.Storage.GroupVersionKind())
	c.Storage.Default(obj)
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	// Most messages come out as long as they were, so the length can be written before.
	value := wire.AppendEnvelopeStart((*scratch)[:0], c.apiVersion, c.kind, len(message))
	start := len(value)
	if value, err = c.Storage.AppendMessage(value, stripped(obj)); err != nil {
		return nil, err
	}
	*scratch = value
	c.readers.Put(read)
	if len(value)-start != len(message) {
		return wire.AppendEnvelope(nil, c.apiVersion, c.kind, value[start:]), nil
	}
	if value = wire.AppendEnvelopeEnd(value); bytes.Equal(value, stored) {
		return stored, nil
	}
	return bytes.Clone(value), nil
}

// read makes an object in the storage version of any value that has ever been written. Its strings
// may be parts of it.
func (c *Codec) read(stored []byte) (runtime.Object, error) {
	decoded, kind, err := c.decodeStored(stored)
	if err != nil {
		return nil, err
	}
	return c.toStorage(kind, decoded.Object)
}

// decodeStored reads a value of any version, as protobuf or as JSON, or, written by a server of
// Kubernetes, as YAML or with base64 around it.
func (c *Codec) decodeStored(stored []byte) (serializer.Decoded, *runtime.Kind, error) {
	stored = serializer.Unwrap(stored)
	var expected schema.GroupVersionKind
	if bytes.HasPrefix(stored, c.head) {
		expected = c.Storage.GroupVersionKind() // then it is read once
	}
	decoded, err := serializer.DecodeShared(c.Scheme, stored, serializer.FormOf(stored), expected)
	if err != nil {
		return decoded, nil, err
	}
	kind, err := c.Scheme.Kind(decoded.GroupVersionKind)
	if err == nil && kind.Hub() != c.hub {
		err = fmt.Errorf("it is a %s, want a version of %s", decoded.GroupVersionKind, c.hub)
	}
	return decoded, kind, err
}

// toStorage converts an object that was stored in the version of kind, and fills in the defaults of
// both versions.
func (c *Codec) toStorage(kind *runtime.Kind, obj runtime.Object) (runtime.Object, error) {
	kind.Default(obj)
	if kind == c.Storage {
		return obj, nil
	}
	hub, err := kind.ToHub(obj)
	if err != nil {
		return nil, err
	}
	return c.FromHub(hub)
}

// FromHub converts to the storage version and fills in its defaults. The result may share memory
// with hub.
func (c *Codec) FromHub(hub runtime.Object) (runtime.Object, error) {
	obj, err := c.Storage.FromHub(hub)
	if err != nil {
		return nil, err
	}
	c.Storage.Default(obj)
	return obj, nil
}

// CompleteHub fills in the defaults of the storage version in place, if that version is the hub.
func (c *Codec) CompleteHub(hub runtime.Object) {
	if reflect.TypeOf(hub) == c.storageType {
		c.Storage.Default(hub)
	}
}

// scratches are where again encodes.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// Encode makes the canonical value of an object of the storage version, defaulted in it, which was
// made of from. It takes the resourceVersion and the selfLink out of obj. What the version that is
// written has no word for is not in the value.
func (c *Codec) Encode(obj runtime.Object, from *Origin) ([]byte, error) {
	value, err := c.encodeStorage(obj, from)
	if err != nil {
		return nil, err
	}
	kind, err := c.writtenKind()
	if err != nil || kind == c.Storage {
		return value, err
	}
	written, err := c.writtenIn(kind, value)
	if err != nil {
		return nil, err
	}
	return c.valueOf(written)
}

// encodeStorage is encode whatever version is written.
func (c *Codec) encodeStorage(obj runtime.Object, from *Origin) ([]byte, error) {
	if !c.keepsDocuments() {
		return serializer.AppendKind(nil, c.Storage, stripped(obj), serializer.Protobuf, false)
	}
	doc, err := c.document(obj, from)
	if err != nil {
		return nil, err
	}
	return c.documentValue(obj, doc)
}

// stripped takes out of obj what is not stored, and settles its sets of fields.
func stripped(obj runtime.Object) runtime.Object {
	meta := runtime.Meta(obj)
	settle(meta)
	meta.ResourceVersion = ""
	//lint:ignore SA1019 clients of long ago still send it, and nothing has set it for years
	meta.SelfLink = ""
	return obj
}

// Decode makes an object of the storage version of a canonical value, which never changes: its
// strings may be parts of it.
func (c *Codec) Decode(value []byte) (runtime.Object, error) {
	if c.keepsDocuments() {
		meta, doc, err := parts(value)
		if err != nil {
			return nil, err
		}
		obj, err := c.Documents.Read(doc, meta)
		if err == nil {
			c.Storage.Default(obj) // also where the document has no object to have them
		}
		return obj, err
	}
	envelope, err := wire.ParseEnvelope(value)
	if err != nil {
		return nil, err
	}
	obj := c.Storage.New()
	if err := c.Storage.UnmarshalShared(envelope.Raw, obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// DecodeHub makes an object of the hub of an entry. Its strings may be parts of the entry's value.
// Its error is an API status, or that of the entry.
func (c *Codec) DecodeHub(entry storage.Entry) (runtime.Object, error) {
	if entry.Err != nil {
		return nil, entry.Err
	}
	obj, err := c.Decode(entry.Value)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	hub, err := c.Storage.ToHub(obj)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return hub, nil
}

// StatusField is the number of the status in canonical values, 0 if there is none.
func (c *Codec) StatusField() int32 {
	if c.keepsDocuments() {
		return document.StatusField
	}
	return c.Storage.StatusField()
}

// stored makes what lies in the database of a canonical value. It returns value itself for
// protobuf.
func (c *Codec) stored(key string, value []byte) ([]byte, error) {
	kind, err := c.writtenKind()
	if err != nil {
		return nil, err
	}
	if kind != c.Storage {
		if value, err = c.writtenIn(kind, value); err != nil {
			return nil, fmt.Errorf("encode value of %s as %s: %w", key, kind.GroupVersionKind().GroupVersion(), err)
		}
		return value, nil
	}
	if c.mediaType == rest.Protobuf {
		return value, nil
	}
	text, err := c.JSON(value)
	if err != nil {
		return nil, fmt.Errorf("encode value of %s as JSON: %w", key, err)
	}
	return text, nil
}

// JSON makes JSON of the storage version of a canonical value, with a newline at its end.
func (c *Codec) JSON(value []byte) ([]byte, error) {
	if c.keepsDocuments() {
		meta, doc, err := parts(value)
		if err != nil {
			return nil, err
		}
		text, err := AppendDocument(make([]byte, 0, len(value)*5/4), HeadOf(c.Storage), meta, doc)
		return append(text, '\n'), err
	}
	obj, err := c.Decode(value)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(c.Storage.GroupVersionKind())
	return serializer.AppendKind(nil, c.Storage, obj, serializer.JSON, false)
}
