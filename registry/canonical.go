package registry

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// codec knows how the objects of one hub lie in a store: in which version, and in which media type in the database.
// It is immutable, but for spares.
type codec struct {
	scheme    *runtime.Scheme
	hub       schema.GroupKind
	storage   *runtime.Kind
	mediaType rest.MediaType
	// apiVersion and kind are what an envelope of the storage version says.
	apiVersion, kind string
	// spares are empty objects of the storage version. What canonical reads is encoded and then dropped.
	spares sync.Pool
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
	c.spares.New = func() any { return c.storage.New() }
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
	obj, spare, err := c.readAside(stored)
	if err != nil {
		return nil, false, fmt.Errorf("read stored value of %s: %w", key, err)
	}
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	if *scratch, err = c.appendValue((*scratch)[:0], obj); err != nil {
		return nil, false, fmt.Errorf("encode stored value of %s: %w", key, err)
	}
	if value = stored; !bytes.Equal(*scratch, stored) {
		value = bytes.Clone(*scratch)
	}
	if spare {
		reflect.ValueOf(obj).Elem().SetZero()
		c.spares.Put(obj)
	}
	want, err := c.stored(key, value)
	if err != nil {
		return nil, false, err
	}
	return value, !bytes.Equal(want, stored), nil
}

// readAside is read for an object that nobody but the caller sees. Nearly every stored value is protobuf of the storage
// version: then the object is one of spares, to be emptied and given back.
func (c *codec) readAside(stored []byte) (obj runtime.Object, spare bool, err error) {
	envelope, err := wire.ParseEnvelope(stored)
	if err != nil || !c.storage.Protobuf() || string(envelope.APIVersion) != c.apiVersion || string(envelope.Kind) != c.kind {
		obj, err = c.read(stored)
		return obj, false, err
	}
	obj = c.spares.Get().(runtime.Object)
	if err := c.storage.UnmarshalShared(envelope.Raw, obj); err != nil {
		return nil, false, err
	}
	obj.GetObjectKind().SetGroupVersionKind(c.storage.GroupVersionKind())
	c.storage.Default(obj)
	return obj, true, nil
}

// read makes an object in the storage version of any value that has ever been written: of any version, as protobuf or
// as JSON. Its strings may be parts of it.
func (c *codec) read(stored []byte) (runtime.Object, error) {
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

// scratches are where canonical encodes what is then thrown away, as nearly every stored value is canonical.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// encode makes the canonical value of an object of the storage version, defaulted in it. It takes the resourceVersion
// and the selfLink out of obj.
func (c *codec) encode(obj runtime.Object) ([]byte, error) { return c.appendValue(nil, obj) }

// appendValue is encode that appends to dst.
func (c *codec) appendValue(dst []byte, obj runtime.Object) ([]byte, error) {
	meta := runtime.Meta(obj)
	meta.ResourceVersion = ""
	//lint:ignore SA1019 clients of long ago still send it, and nothing has set it for years
	meta.SelfLink = ""
	return serializer.AppendKind(dst, c.storage, obj, serializer.Protobuf, false)
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
