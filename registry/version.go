package registry

import (
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// version is a served version: what answers look like in it.
type version struct {
	from    *codec // of the canonical values
	kind    *runtime.Kind
	table   *columns
	json    jsonForm
	encoded *EncodeCache // nil: nothing is kept
	// documents are those of the version; nil: it has protobuf.
	documents *documents
	// decorate changes a hub into what clients see; nil: they see what is stored.
	decorate func(hub runtime.Object)
}

// stored says whether the version is the one of canonical values.
func (v version) stored() bool { return v.kind == v.from.storage }

// asStored says whether answers in the version can be made of the bytes of canonical values.
func (v version) asStored() bool { return v.stored() && v.decorate == nil }

// showsDocuments says whether answers in the version are the documents that are stored: those of a
// version that shares its JSON with the stored one are, but for fields that it does not have.
func (v version) showsDocuments() bool {
	return v.from.keepsDocuments() && !v.kind.Protobuf() && v.kind.SharesJSON(v.from.storage)
}

// visible is object as clients see it.
func (v version) visible(e storage.Entry) (runtime.Object, error) {
	if v.decorate == nil {
		return v.object(e)
	}
	obj, err := v.from.decode(e.Value)
	if err != nil {
		return nil, err
	}
	hub, err := v.from.storage.ToHub(obj)
	if err != nil {
		return nil, err
	}
	runtime.Meta(hub).ResourceVersion = storage.FormatRevision(e.Revision)
	v.decorate(hub)
	if obj, err = v.kind.FromHub(hub); err != nil {
		return nil, err
	}
	runtime.Meta(obj).ResourceVersion = storage.FormatRevision(e.Revision)
	return obj, nil
}

// object makes an object of this version of an entry. Its TypeMeta is empty. It belongs to the
// caller.
func (v version) object(e storage.Entry) (runtime.Object, error) {
	obj, err := v.from.decode(e.Value)
	if err != nil {
		return nil, err
	}
	if !v.stored() {
		hub, err := v.from.storage.ToHub(obj)
		if err != nil {
			return nil, err
		}
		if obj, err = v.kind.FromHub(hub); err != nil {
			return nil, err
		}
	}
	runtime.Meta(obj).ResourceVersion = storage.FormatRevision(e.Revision)
	return obj, nil
}
