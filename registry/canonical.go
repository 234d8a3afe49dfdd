package registry

import (
	"bytes"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// codec knows how the objects of one hub lie in a store: in which version, and in which media type in the database.
// It is immutable, but for readers.
type codec struct {
	scheme    *runtime.Scheme
	hub       schema.GroupKind
	storage   *runtime.Kind
	mediaType rest.MediaType
	// apiVersion and kind are what an envelope of the storage version says.
	apiVersion, kind string
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

// canonical makes the canonical value of what is in the database: protobuf of the storage version, with its defaults,
// without a resourceVersion. It returns stored itself when that is so already. stale says that a write would put
// something else into the database.
func (c *codec) canonical(key string, stored []byte) (value []byte, stale bool, err error) {
	defer func() {
		// Defaults and conversions may be written by hand. One object that they can't cope with must not end the process.
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

// valueOf is canonical without a judgment. Nearly every stored value is protobuf of the storage version, and canonical.
func (c *codec) valueOf(stored []byte) ([]byte, error) {
	envelope, err := wire.ParseEnvelope(stored)
	if err == nil && c.storage.Protobuf() && string(envelope.APIVersion) == c.apiVersion && string(envelope.Kind) == c.kind {
		return c.again(stored, envelope.Raw)
	}
	obj, err := c.read(stored)
	if err != nil {
		return nil, err
	}
	return c.encode(obj)
}

// again encodes a message of the storage version once more, with its defaults. It returns stored, which is an envelope around it, when
// that makes no difference.
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

// read makes an object in the storage version of any value that has ever been written: of any version, as protobuf or
// as JSON, or, by a server of Kubernetes, as YAML or with base64 around it. Its strings may be parts of it.
func (c *codec) read(stored []byte) (runtime.Object, error) {
	stored = serializer.Unwrap(stored)
	decoded, err := serializer.DecodeShared(c.scheme, stored, serializer.FormOf(stored), schema.GroupVersionKind{})
	if err != nil {
		return nil, err
	}
	kind, err := c.scheme.Kind(decoded.GroupVersionKind)
	if err != nil {
		return nil, err
	}
	if kind.Hub() != c.hub {
		return nil, fmt.Errorf("it is a %s, want a version of %s", decoded.GroupVersionKind, c.hub)
	}
	obj := decoded.Object
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

// fromHub converts to the storage version and fills in its defaults. The result may share memory with hub.
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

// encode makes the canonical value of an object of the storage version, defaulted in it. It takes the resourceVersion
// and the selfLink out of obj.
func (c *codec) encode(obj runtime.Object) ([]byte, error) {
	return serializer.AppendKind(nil, c.storage, stripped(obj), serializer.Protobuf, false)
}

// stripped takes out of obj what is not stored.
func stripped(obj runtime.Object) runtime.Object {
	meta := runtime.Meta(obj)
	meta.ResourceVersion = ""
	//lint:ignore SA1019 clients of long ago still send it, and nothing has set it for years
	meta.SelfLink = ""
	return obj
}

// decode makes an object of the storage version of a canonical value, which never changes: its strings may be parts of it.
func (c *codec) decode(value []byte) (runtime.Object, error) {
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

// stored makes what lies in the database of a canonical value. It returns value itself for protobuf.
func (c *codec) stored(key string, value []byte) ([]byte, error) {
	if c.mediaType == rest.Protobuf {
		return value, nil
	}
	obj, err := c.decode(value)
	if err != nil {
		return nil, fmt.Errorf("encode value of %s as JSON: %w", key, err)
	}
	obj.GetObjectKind().SetGroupVersionKind(c.storage.GroupVersionKind())
	return serializer.AppendKind(nil, c.storage, obj, serializer.JSON, false)
}
