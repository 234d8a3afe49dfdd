package registry

import (
	"bytes"
	"encoding/json"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/transcode"
	"github.com/typeplane/typeplane/storage"
)

// appendShown appends the document of an entry as clients see it, behind a head as appendHead
// has it. Without a Decorate no Go value is made.
func (v version) appendShown(dst []byte, head string, e storage.Entry) ([]byte, error) {
	if v.decorate != nil {
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

func (v version) appendDecorated(dst []byte, head string, e storage.Entry) ([]byte, error) {
	from, err := v.from.originOf(e.Value)
	if err != nil {
		return dst, err
	}
	stored := v
	stored.kind = v.from.storage
	obj, err := stored.visible(e)
	if err != nil {
		return dst, err
	}
	doc, err := v.document(obj, from)
	if err != nil {
		return dst, err
	}
	return appendDocument(dst, head, runtime.Meta(obj), doc)
}

// parts takes a canonical document apart, which is that of the version then. The metadata belongs
// to the caller, but for what it shares with value.
func (v version) parts(value []byte) (*metav1.ObjectMeta, document.Document, error) {
	meta, doc, err := parts(value)
	if err == nil {
		doc, err = v.pruned(doc)
	}
	return meta, doc, err
}

// document is that of the version of an object of the storage version, which was made of from.
func (v version) document(obj runtime.Object, from *origin) (document.Document, error) {
	doc, err := v.from.document(obj, from)
	if err != nil {
		return doc, err
	}
	return v.pruned(doc)
}

// pruned is a document of the storage version without what this one has no field for.
func (v version) pruned(doc document.Document) (document.Document, error) {
	if v.stored() {
		return doc, nil
	}
	return doc.Pruned(v.documents.shape)
}

// writeDocument writes the document of an entry in one piece.
func (o *objectView) writeDocument(w io.Writer, form rest.Form) error {
	text, err := o.appendShown(room(w), o.json.head, o.entry)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	return writeText(w, text, o.kind, form)
}

// writeText writes an object of a kind without protobuf, of which text is the JSON.
func writeText(w io.Writer, text []byte, kind *runtime.Kind, form rest.Form) error {
	switch {
	case form.MediaType == rest.Protobuf:
		return encodingError(&serializer.NoProtobufError{Object: kind.New()})
	case form.MediaType == rest.YAML:
		data, err := yaml.JSONToYAML(text)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		_, err = w.Write(data)
		return err
	case form.Pretty:
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", "  "); err != nil {
			return apierrors.NewInternalError(err)
		}
		text = indented.Bytes()
	}
	_, err := w.Write(append(text, '\n'))
	return err
}
