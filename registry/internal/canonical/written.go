package canonical

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// Written is the version in which objects of a resource are put into the database, while that is
// not the storage version. That is as long as servers of an older release, which can't read the
// storage version, run on the same database. The zero Written is the storage version. Its methods
// may be called from any goroutine.
//
// What the version has no word for is lost in a write, as it would be in one by an older server;
// answers show that at once.
type Written struct {
	version atomic.Pointer[schema.GroupVersion]
}

// Set changes the version; the empty one is the storage version. A version that the resource does
// not have makes every write fail. Caches have to read their entries again then, since others of
// them are stale.
func (w *Written) Set(version schema.GroupVersion) { w.version.Store(&version) }

// Version returns the version; the empty one is the storage version.
func (w *Written) Version() schema.GroupVersion {
	if w == nil {
		return schema.GroupVersion{}
	}
	if version := w.version.Load(); version != nil {
		return *version
	}
	return schema.GroupVersion{}
}

// writtenKind is the kind in whose version values are put into the database.
func (c *Codec) writtenKind() (*runtime.Kind, error) {
	version := c.Written.Version()
	if version.Empty() {
		return c.Storage, nil
	}
	return c.KindIn(version)
}

// writtenIn makes what lies in the database of a canonical value, in another version than the
// storage version.
func (c *Codec) writtenIn(kind *runtime.Kind, value []byte) ([]byte, error) {
	if c.keepsDocuments() && !kind.Protobuf() && kind.SharesJSON(c.Storage) {
		return c.documentIn(kind, value)
	}
	obj, err := c.Decode(value)
	if err != nil {
		return nil, err
	}
	hub, err := c.Storage.ToHub(obj)
	if err != nil {
		return nil, err
	}
	if obj, err = kind.FromHub(hub); err != nil {
		return nil, err
	}
	kind.Default(obj)
	obj.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind())
	mediaType := serializer.JSON
	if c.mediaType == rest.Protobuf && kind.Protobuf() {
		mediaType = serializer.Protobuf
	}
	return serializer.AppendKind(nil, kind, stripped(obj), mediaType, false)
}

// documentIn is the document of a canonical value in a version that shares its JSON with the
// storage version.
func (c *Codec) documentIn(kind *runtime.Kind, value []byte) ([]byte, error) {
	meta, doc, err := parts(value)
	if err != nil {
		return nil, err
	}
	if doc, err = doc.Pruned(DocumentsOf(kind).Shape); err != nil {
		return nil, err
	}
	text, err := AppendDocument(nil, HeadOf(kind), meta, doc)
	return append(text, '\n'), err
}
