package canonical

import (
	"sync"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// Version is a served version of the objects whose canonical values a codec makes.
type Version struct {
	from *Codec
	Kind *runtime.Kind
	// Documents are those of the version; nil: it has protobuf.
	Documents *Documents
	// Decorate changes a hub into what clients see; nil: they see what is stored.
	Decorate func(hub runtime.Object)
	// spares are *runtime.Spare for Look.
	spares *sync.Pool
}

// Version is that of kind. decorate changes a hub into what clients see; nil: they see what is
// stored.
func (c *Codec) Version(kind *runtime.Kind, decorate func(hub runtime.Object)) Version {
	v := Version{from: c, Kind: kind, Decorate: decorate, spares: &sync.Pool{New: func() any { return new(runtime.Spare) }}}
	if !kind.Protobuf() {
		v.Documents = DocumentsOf(kind)
	}
	return v
}

// Stored says whether the version is that of canonical values.
func (v Version) Stored() bool { return v.Kind == v.from.Storage }

// AsStored says whether answers in the version can be made of the bytes of canonical values.
func (v Version) AsStored() bool { return v.Stored() && v.Decorate == nil }

// ShowsDocuments says whether answers in the version are the documents that are stored. Those of a
// version that shares its JSON with the stored one are, except for fields that it does not have.
func (v Version) ShowsDocuments() bool {
	return v.from.keepsDocuments() && !v.Kind.Protobuf() && v.Kind.SharesJSON(v.from.Storage)
}

// Visible is the object of an entry as clients see it. Its TypeMeta is empty. It belongs to the
// caller.
func (v Version) Visible(e storage.Entry) (runtime.Object, error) {
	return v.visible(e, v.from.Decode, new(runtime.Spare))
}

// Look calls use with what Visible returns, in memory that the next object gets: it is good until
// use returns.
func (v Version) Look(e storage.Entry, use func(runtime.Object) error) error {
	if v.from.keepsDocuments() {
		obj, err := v.Visible(e)
		if err != nil {
			return err
		}
		return use(obj)
	}
	read, spare := v.from.readers.Get().(func([]byte) (runtime.Object, error)), v.spares.Get().(*runtime.Spare)
	obj, err := v.visible(e, func(value []byte) (runtime.Object, error) {
		message, err := wire.Message(value)
		if err != nil {
			return nil, err
		}
		return read(message)
	}, spare)
	if err == nil {
		err = use(obj)
	}
	v.from.readers.Put(read)
	v.spares.Put(spare)
	return err
}

func (v Version) visible(e storage.Entry, decode func(value []byte) (runtime.Object, error), spare *runtime.Spare) (runtime.Object, error) {
	obj, err := decode(e.Value)
	if err != nil {
		return nil, err
	}
	if v.AsStored() {
		runtime.Meta(obj).ResourceVersion = storage.FormatRevision(e.Revision)
		return obj, nil
	}
	hub, err := spare.ToHub(v.from.Storage, obj)
	if err != nil {
		return nil, err
	}
	if v.Decorate != nil {
		runtime.Meta(hub).ResourceVersion = storage.FormatRevision(e.Revision)
		v.Decorate(hub)
	}
	if obj, err = spare.FromHub(v.Kind, hub); err != nil {
		return nil, err
	}
	runtime.Meta(obj).ResourceVersion = storage.FormatRevision(e.Revision)
	return obj, nil
}

// Object is Visible without what Decorate does.
func (v Version) Object(e storage.Entry) (runtime.Object, error) {
	v.Decorate = nil
	return v.Visible(e)
}

// FromHub converts to the version, and says in the object what it is. The result may share memory
// with hub.
func (v Version) FromHub(hub runtime.Object) (runtime.Object, error) {
	obj, err := v.Kind.FromHub(hub)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(v.Kind.GroupVersionKind())
	return obj, nil
}

// OriginOf is what the object of an entry was made of: value is canonical.
func (v Version) OriginOf(value []byte) (*Origin, error) { return v.from.OriginOf(value) }

// Storage is the kind of canonical values.
func (v Version) Storage() *runtime.Kind { return v.from.Storage }
