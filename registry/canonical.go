package registry

import (
	"bytes"
	"fmt"
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

// codec knows how the objects of one hub lie in a store: in which version, and in which media type
// in the database. It is immutable, but for readers.
type codec struct {
	scheme    *runtime.Scheme
	hub       schema.GroupKind
	storage   *runtime.Kind
	mediaType rest.MediaType
	// documents are those of the storage version; nil: it has protobuf.
	documents *documents
	// apiVersion and kind are what an envelope of the storage version says.
	apiVersion, kind string
	// head is how its objects begin in JSON, with the comma behind it.
	head []byte
	// written is the version in which values are put into the database; nil: it is the storage
	// version.
	written *Written
	// readers are Recyclers of the storage version, for again.
	readers sync.Pool
}

func newCodec(scheme *runtime.Scheme, hub schema.GroupKind, gv schema.GroupVersion, mediaType rest.MediaType) (*codec, error) {
	c := &codec{scheme: scheme, hub: hub, mediaType: mediaType}
	if c.mediaType == "" {
		c.mediaType = rest.Protobuf
	}
	var err error
	if c.storage, err = c.kindIn(gv); err != nil {
		return nil, err
	}
	c.apiVersion, c.kind = gv.String(), c.storage.GroupVersionKind().Kind
	c.head = []byte(headOf(c.storage) + ",")
	if !c.storage.Protobuf() {
		c.mediaType, c.documents = rest.JSON, documentsOf(c.storage)
	}
	c.readers.New = func() any { return c.storage.Recycler() }
	return c, nil
}

// kindIn returns the kind that the hub has in a version.
func (c *codec) kindIn(gv schema.GroupVersion) (*runtime.Kind, error) {
	for _, k := range c.scheme.KindsOfHub(c.hub) {
		if k.GroupVersionKind().GroupVersion() == gv {
			return k, nil
		}
	}
	return nil, fmt.Errorf("%s has no version %s", c.hub, gv)
}

func (c *codec) form() storage.Form {
	return storage.Form{Canonical: c.canonical, Stored: c.stored}
}

// keepsDocuments says whether what is stored is the document that was sent, and not what its Go
// value writes.
func (c *codec) keepsDocuments() bool { return c.documents != nil }

// canonical makes the canonical value of what is in the database: protobuf of the storage version,
// with its defaults, without a resourceVersion; of a version without protobuf it is the metadata in
// protobuf, and the document. It returns stored itself when that is so already. stale says that a
// write would put something else into the database.
func (c *codec) canonical(key string, stored []byte) (value []byte, stale bool, err error) {
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
func (c *codec) valueOf(stored []byte) ([]byte, error) {
	if c.keepsDocuments() {
		return c.valueOfDocument(stored)
	}
	envelope, err := wire.ParseEnvelope(stored)
	if err == nil && c.storage.Protobuf() && string(envelope.APIVersion) == c.apiVersion && string(envelope.Kind) == c.kind {
		return c.again(stored, envelope.Raw)
	}
	obj, err := c.read(stored)
	if err != nil {
		return nil, err
	}
	return c.encodeStorage(obj, nil)
}

// valueOfDocument is valueOf for a version without protobuf.
func (c *codec) valueOfDocument(stored []byte) ([]byte, error) {
	decoded, kind, err := c.decodeStored(stored)
	if err != nil {
		return nil, err
	}
	if kind.Protobuf() || !kind.SharesJSON(c.storage) {
		obj, err := c.toStorage(kind, decoded.Object)
		if err != nil {
			return nil, err
		}
		return c.encodeStorage(obj, nil)
	}
	var obj runtime.Object
	var from *origin
	// Nearly every stored value is as this server writes it.
	if doc, ok := document.Settled(decoded.JSON); ok && kind == c.storage && len(decoded.Strict) == 0 && !c.documents.shape.Fills() {
		obj, from, err = c.documents.defaulted(decoded.Object, doc)
	} else {
		obj, from, err = c.received(documentsOf(kind), decoded.Object, decoded.JSON)
	}
	if err != nil {
		return nil, err
	}
	return c.documentValue(obj, from.document)
}

// again encodes a message of the storage version once more, with its defaults. It returns stored,
// which is an envelope around it, when that makes no difference.
func (c *codec) again(stored, message []byte) ([]byte, error) {
	read := c.readers.Get().(func([]byte) (runtime.Object, error))
	obj, err := read(message)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(c.storage.GroupVersionKind())
	c.storage.Default(obj)
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	// Most messages come out as long as they were, so the length can be written before.
	value := wire.AppendEnvelopeStart((*scratch)[:0], c.apiVersion, c.kind, len(message))
	start := len(value)
	if value, err = c.storage.AppendMessage(value, stripped(obj)); err != nil {
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
func (c *codec) read(stored []byte) (runtime.Object, error) {
	decoded, kind, err := c.decodeStored(stored)
	if err != nil {
		return nil, err
	}
	return c.toStorage(kind, decoded.Object)
}

// decodeStored reads a value of any version, as protobuf or as JSON, or, written by a server of
// Kubernetes, as YAML or with base64 around it.
func (c *codec) decodeStored(stored []byte) (serializer.Decoded, *runtime.Kind, error) {
	stored = serializer.Unwrap(stored)
	var expected schema.GroupVersionKind
	if bytes.HasPrefix(stored, c.head) {
		expected = c.storage.GroupVersionKind() // then it is read once
	}
	decoded, err := serializer.DecodeShared(c.scheme, stored, serializer.FormOf(stored), expected)
	if err != nil {
		return decoded, nil, err
	}
	kind, err := c.scheme.Kind(decoded.GroupVersionKind)
	if err == nil && kind.Hub() != c.hub {
		err = fmt.Errorf("it is a %s, want a version of %s", decoded.GroupVersionKind, c.hub)
	}
	return decoded, kind, err
}

// toStorage converts an object that was stored in the version of kind, and fills in the defaults of
// both versions.
func (c *codec) toStorage(kind *runtime.Kind, obj runtime.Object) (runtime.Object, error) {
	kind.Default(obj)
	if kind == c.storage {
		return obj, nil
	}
	hub, err := kind.ToHub(obj)
	if err != nil {
		return nil, err
	}
	return c.fromHub(hub)
}

// fromHub converts to the storage version and fills in its defaults. The result may share memory
// with hub.
func (c *codec) fromHub(hub runtime.Object) (runtime.Object, error) {
	obj, err := c.storage.FromHub(hub)
	if err != nil {
		return nil, err
	}
	c.storage.Default(obj)
	return obj, nil
}

// scratches are where again encodes.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// encode makes the canonical value of an object of the storage version, defaulted in it, which was
// made of from. It takes the resourceVersion and the selfLink out of obj. What the version that is
// written has no word for is not in the value.
func (c *codec) encode(obj runtime.Object, from *origin) ([]byte, error) {
	value, err := c.encodeStorage(obj, from)
	if err != nil {
		return nil, err
	}
	kind, err := c.writtenKind()
	if err != nil || kind == c.storage {
		return value, err
	}
	written, err := c.writtenIn(kind, value)
	if err != nil {
		return nil, err
	}
	return c.valueOf(written)
}

// encodeStorage is encode whatever version is written.
func (c *codec) encodeStorage(obj runtime.Object, from *origin) ([]byte, error) {
	if !c.keepsDocuments() {
		return serializer.AppendKind(nil, c.storage, stripped(obj), serializer.Protobuf, false)
	}
	doc, err := c.document(obj, from)
	if err != nil {
		return nil, err
	}
	return c.documentValue(obj, doc)
}

// stripped takes out of obj what is not stored.
func stripped(obj runtime.Object) runtime.Object {
	meta := runtime.Meta(obj)
	meta.ResourceVersion = ""
	//lint:ignore SA1019 clients of long ago still send it, and nothing has set it for years
	meta.SelfLink = ""
	return obj
}

// decode makes an object of the storage version of a canonical value, which never changes: its
// strings may be parts of it.
func (c *codec) decode(value []byte) (runtime.Object, error) {
	if c.keepsDocuments() {
		meta, doc, err := parts(value)
		if err != nil {
			return nil, err
		}
		obj, err := c.documents.read(doc, meta)
		if err == nil {
			c.storage.Default(obj) // also where the document has no object to have them
		}
		return obj, err
	}
	envelope, err := wire.ParseEnvelope(value)
	if err != nil {
		return nil, err
	}
	obj := c.storage.New()
	if err := c.storage.UnmarshalShared(envelope.Raw, obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// decodeHub makes an object of the hub of an entry. Its strings may be parts of the entry's value.
// Its error is an API status, or the one of the entry.
func (c *codec) decodeHub(entry storage.Entry) (runtime.Object, error) {
	if entry.Err != nil {
		return nil, entry.Err
	}
	obj, err := c.decode(entry.Value)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	hub, err := c.storage.ToHub(obj)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return hub, nil
}

// statusField is the number of the status in canonical values, 0 if there is none.
func (c *codec) statusField() int32 {
	if c.keepsDocuments() {
		return document.StatusField
	}
	return c.storage.StatusField()
}

// stored makes what lies in the database of a canonical value. It returns value itself for
// protobuf.
func (c *codec) stored(key string, value []byte) ([]byte, error) {
	kind, err := c.writtenKind()
	if err != nil {
		return nil, err
	}
	if kind != c.storage {
		if value, err = c.writtenIn(kind, value); err != nil {
			return nil, fmt.Errorf("encode value of %s as %s: %w", key, kind.GroupVersionKind().GroupVersion(), err)
		}
		return value, nil
	}
	if c.mediaType == rest.Protobuf {
		return value, nil
	}
	if c.keepsDocuments() {
		meta, doc, err := parts(value)
		if err != nil {
			return nil, fmt.Errorf("encode value of %s as JSON: %w", key, err)
		}
		text, err := appendDocument(make([]byte, 0, len(value)*5/4), headOf(c.storage), meta, doc)
		return append(text, '\n'), err
	}
	obj, err := c.decode(value)
	if err != nil {
		return nil, fmt.Errorf("encode value of %s as JSON: %w", key, err)
	}
	obj.GetObjectKind().SetGroupVersionKind(c.storage.GroupVersionKind())
	return serializer.AppendKind(nil, c.storage, obj, serializer.JSON, false)
}
