package canonical

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/transcode"
	"github.com/typeplane/typeplane/storage"
)

// AppendShown appends the document of an entry as clients see it, behind a head as appendHead
// has it. Without a Decorate no Go value is made.
func (v Version) AppendShown(dst []byte, head string, e storage.Entry) ([]byte, error) {
	if v.Decorate != nil {
		return v.appendDecorated(dst, head, e)
	}
	meta, doc, err := encodedParts(e.Value)
	if err != nil {
		return dst, err
	}
	if doc, err = v.pruned(doc); err != nil {
		return dst, err
	}
	dst, err = transcode.AppendObjectMeta(appendHead(dst, head), meta, e.Revision)
	return append(doc.Append(dst), '}'), err
}

func (v Version) appendDecorated(dst []byte, head string, e storage.Entry) ([]byte, error) {
	from, err := v.from.OriginOf(e.Value)
	if err != nil {
		return dst, err
	}
	stored := v
	stored.Kind = v.from.Storage
	obj, err := stored.Visible(e)
	if err != nil {
		return dst, err
	}
	doc, err := v.Document(obj, from)
	if err != nil {
		return dst, err
	}
	return AppendDocument(dst, head, runtime.Meta(obj), doc)
}

// Parts takes a canonical document apart, which is that of the version then. The metadata belongs
// to the caller, except for what it shares with value.
func (v Version) Parts(value []byte) (*metav1.ObjectMeta, document.Document, error) {
	meta, doc, err := parts(value)
	if err == nil {
		doc, err = v.pruned(doc)
	}
	return meta, doc, err
}

// Document is that of the version of an object of the storage version, which was made of from.
func (v Version) Document(obj runtime.Object, from *Origin) (document.Document, error) {
	doc, err := v.from.document(obj, from)
	if err != nil {
		return doc, err
	}
	return v.pruned(doc)
}

// pruned is a document of the storage version without what this version has no field for.
func (v Version) pruned(doc document.Document) (document.Document, error) {
	if v.Stored() {
		return doc, nil
	}
	return doc.Pruned(v.Documents.Shape)
}
