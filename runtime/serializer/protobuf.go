package serializer

import (
	"fmt"
	"reflect"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
)

// NoProtobufError says that a type has no protobuf form (406 for a client that asks for it).
type NoProtobufError struct {
	Object any
}

func (e *NoProtobufError) Error() string {
	return fmt.Sprintf("object %T does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message", e.Object)
}

type protobufSource struct {
	envelope wire.Envelope
	gvk      schema.GroupVersionKind
}

func readProtobuf(data []byte) (source, error) {
	e, err := wire.ParseEnvelope(data)
	if err != nil {
		return nil, err
	}
	gv, err := schema.ParseGroupVersion(string(e.APIVersion))
	if err != nil {
		return nil, err
	}
	return protobufSource{envelope: e, gvk: gv.WithKind(string(e.Kind))}, nil
}

func (s protobufSource) cheap() bool { return true }

func (s protobufSource) json() []byte { return nil }

func (s protobufSource) sniff() (schema.GroupVersionKind, error) { return s.gvk, nil }

func (s protobufSource) into(obj apiruntime.Object) ([]error, error) {
	m, ok := obj.(runtime.Protobuf)
	if !ok {
		return nil, &NoProtobufError{Object: obj}
	}
	if err := s.check(obj); err != nil {
		return nil, err
	}
	m.Reset()
	return nil, m.Unmarshal(s.envelope.Raw)
}

// check refuses a message that takes too much memory, or too long, to be read into obj.
func (s protobufSource) check(obj apiruntime.Object) error {
	if !fits(s.envelope.Raw, obj) {
		return errTooLarge()
	}
	return shapeOf(reflect.TypeOf(obj).Elem()).checkQuantities(s.envelope.Raw, 0)
}

func (s protobufSource) decode(kind *runtime.Kind, obj runtime.Object, how manner) ([]error, error) {
	if !kind.Protobuf() {
		return nil, &NoProtobufError{Object: obj}
	}
	if how.bounded {
		if err := s.check(obj); err != nil {
			return nil, err
		}
	}
	unmarshal := kind.Unmarshal
	if how.shared {
		unmarshal = kind.UnmarshalShared
	}
	err := unmarshal(s.envelope.Raw, obj)
	if err == nil && how.bounded {
		err = checkJSON(kind, obj)
	}
	return nil, err
}

// AppendProtobuf appends obj in its envelope; what it says about its kind is gvk, not obj's
// TypeMeta.
func AppendProtobuf(dst []byte, obj apiruntime.Object, gvk schema.GroupVersionKind) ([]byte, error) {
	m, ok := obj.(runtime.Protobuf)
	if !ok {
		return dst, &NoProtobufError{Object: obj}
	}
	apiVersion := gvk.GroupVersion().String()
	size := m.Size()
	if total := wire.EnvelopeSize(apiVersion, gvk.Kind, size); cap(dst)-len(dst) < total {
		// Exactly what is needed: most of these are kept as long as the object lives.
		grown := make([]byte, len(dst), len(dst)+total)
		copy(grown, dst)
		dst = grown
	}
	start := wire.AppendEnvelopeStart(dst, apiVersion, gvk.Kind, size)
	raw := start[len(start) : len(start)+size]
	n, err := m.MarshalToSizedBuffer(raw)
	if err != nil {
		return dst, err
	}
	if n != size {
		return dst, fmt.Errorf("marshal %T: its Size says %d, it wrote %d: run gen", obj, size, n)
	}
	return wire.AppendEnvelopeEnd(start[:len(start)+size]), nil
}
