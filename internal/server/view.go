package server

import (
	"encoding/json"
	"io"
	"net/http"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// structView writes an object that says its kind itself, like a status.
type structView struct{ obj apiruntime.Object }

var _ rest.View = structView{}

func (v structView) WriteTo(w io.Writer, rep rest.Representation) error {
	return serializer.Encode(w, v.obj, serializer.MediaType(rep.MediaType), rep.Pretty)
}

// sendObject answers with an object that says its kind itself.
func (c *call) sendObject(obj apiruntime.Object) error {
	rep, err := c.representation(negotiate.MediaTypes)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, structView{obj}, rep)
}

// document is an answer that is always the same, written in every form when the server starts.
type document map[rest.Representation][]byte

var _ rest.View = document(nil)

// newDocument encodes obj, which has to say its kind itself.
func newDocument(obj apiruntime.Object) (document, error) {
	d := document{}
	for _, rep := range []rest.Representation{{MediaType: rest.JSON}, {MediaType: rest.JSON, Pretty: true}, {MediaType: rest.YAML}, {MediaType: rest.Protobuf}} {
		data, err := serializer.Append(nil, obj, serializer.MediaType(rep.MediaType), rep.Pretty)
		if err != nil {
			return nil, err
		}
		d[rep] = data
	}
	return d, nil
}

func (d document) WriteTo(w io.Writer, rep rest.Representation) error {
	rep.Pretty = rep.Pretty && rep.MediaType == rest.JSON
	_, err := w.Write(d[rep])
	return err
}

// encodeJSON is for our own structs, which can't fail to encode.
func encodeJSON(value any, indent string) []byte {
	data, err := json.MarshalIndent(value, "", indent)
	if indent == "" {
		data, err = json.Marshal(value)
	}
	if err != nil {
		panic(err)
	}
	return append(data, '\n')
}
