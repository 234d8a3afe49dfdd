package serializer

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
)

// AppendKind is Append for an object of a kind, by the kind's functions. In JSON and YAML the
// object says itself what it is, in protobuf the kind does.
func AppendKind(dst []byte, kind *runtime.Kind, obj runtime.Object, form MediaType, pretty bool) ([]byte, error) {
	switch form {
	case Protobuf:
		return appendKindProtobuf(dst, kind, obj)
	case JSON:
		return appendKindJSON(dst, kind, obj, pretty)
	case YAML:
		data, err := kind.AppendJSON(nil, obj)
		if err != nil {
			return dst, err
		}
		return AppendYAML(dst, data, 0)
	}
	return dst, fmt.Errorf("can't write %q: want %s, %s or %s", form, JSON, YAML, Protobuf)
}

func appendKindJSON(dst []byte, kind *runtime.Kind, obj runtime.Object, pretty bool) ([]byte, error) {
	if !pretty {
		data, err := kind.AppendJSON(dst, obj)
		if err != nil {
			return dst, err
		}
		return append(data, '\n'), nil
	}
	data, err := kind.AppendJSON(nil, obj)
	if err != nil {
		return dst, err
	}
	indented := bytes.NewBuffer(dst)
	if err := Indent(indented, data, ""); err != nil {
		return dst, err
	}
	return append(indented.Bytes(), '\n'), nil
}

// maxMessage is how large a buffer is kept for the next message.
const maxMessage = 256 << 10

// messages are where messages are put together whose length comes before them.
var messages = sync.Pool{New: func() any { return new([]byte) }}

// appendKindProtobuf has the length of the message before the message: it is put together in a
// place of its own if the kind has a function for it.
func appendKindProtobuf(dst []byte, kind *runtime.Kind, obj runtime.Object) ([]byte, error) {
	gvk := kind.GroupVersionKind()
	if !kind.Protobuf() {
		return dst, &NoProtobufError{Object: obj}
	}
	if !kind.AppendsMessages() {
		return AppendProtobuf(dst, obj, gvk)
	}
	scratch := messages.Get().(*[]byte)
	defer messages.Put(scratch)
	message, err := kind.AppendMessage((*scratch)[:0], obj)
	if err != nil {
		return dst, err
	}
	if cap(message) <= maxMessage {
		*scratch = message
	}
	apiVersion := gvk.GroupVersion().String()
	if total := wire.EnvelopeSize(apiVersion, gvk.Kind, len(message)); cap(dst)-len(dst) < total {
		dst = append(make([]byte, 0, len(dst)+total), dst...)
	}
	return wire.AppendEnvelope(dst, apiVersion, gvk.Kind, message), nil
}
