package view

import (
	"bytes"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// writeDocument writes the document of an entry in one piece.
func (o *Object) writeDocument(w io.Writer, rep rest.Representation) error {
	text, err := o.AppendShown(room(w), o.head, o.Entry)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	return writeText(w, text, o.Kind, rep)
}

// writeText writes an object of a kind without protobuf, of which text is the JSON.
func writeText(w io.Writer, text []byte, kind *runtime.Kind, rep rest.Representation) error {
	switch {
	case rep.MediaType == rest.Protobuf:
		return encodingError(&serializer.NoProtobufError{Object: kind.New()})
	case rep.MediaType == rest.YAML:
		data, err := serializer.AppendYAML(nil, text, 0)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		_, err = w.Write(data)
		return err
	case rep.Pretty:
		var indented bytes.Buffer
		if err := serializer.Indent(&indented, text, ""); err != nil {
			return apierrors.NewInternalError(err)
		}
		text = indented.Bytes()
	}
	_, err := w.Write(append(text, '\n'))
	return err
}
