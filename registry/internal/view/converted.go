package view

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// errChanged ends a list whose items are not as long as its beginning has said.
var errChanged = errors.New("an item of the list is not what it was")

// writeConverted writes a list of kind in protobuf whose items are not cut out of the stored bytes;
// message appends the message of one. The length of a list comes before its items. So the first
// items are kept until it is known, and those for which there is no room are made twice.
func (l *List) writeConverted(out *chunks, kind schema.GroupVersionKind, message func(dst []byte, e storage.Entry) ([]byte, error)) error {
	kept := keptItems{all: l.Decorate != nil} // what it shows may change before it is asked again
	defer kept.dropAll()
	var raw []byte
	size := 0
	for i, e := range l.Entries {
		out.pause()
		var err error
		if raw, err = message(raw[:0], *e); err != nil {
			return apierrors.NewInternalError(err)
		}
		size += wire.RawItemSize(len(raw))
		if kept.items == i {
			kept.add(raw)
		}
	}
	if err := l.startProtobuf(out, kind, size); err != nil {
		return err
	}
	for len(kept.pieces) > 0 {
		size -= len(kept.pieces[0])
		out.buf.Write(kept.pieces[0])
		kept.drop()
		if err := out.flushFull(); err != nil {
			return err
		}
	}
	for _, e := range l.Entries[kept.items:] {
		var err error
		if raw, err = message(raw[:0], *e); err != nil {
			return apierrors.NewInternalError(err)
		}
		size -= wire.RawItemSize(len(raw))
		out.buf.Write(wire.AppendRawItem(out.buf.AvailableBuffer(), raw))
		if err := out.flushFull(); err != nil {
			return err
		}
	}
	if size != 0 {
		return apierrors.NewInternalError(errChanged)
	}
	out.buf.Write(wire.AppendEnvelopeEnd(nil))
	return nil
}

// appendVisible appends the message of an object as clients see it.
func (v Factory) appendVisible(dst []byte, e storage.Entry) ([]byte, error) {
	err := v.Look(e, func(obj runtime.Object) (err error) {
		dst, err = v.Kind.AppendMessage(dst, obj)
		return err
	})
	return dst, err
}

// appendPartialMessage appends the message of an object without all but its metadata. The object
// may itself have no protobuf.
func (v Factory) appendPartialMessage(dst []byte, e storage.Entry) ([]byte, error) {
	err := v.Look(e, func(obj runtime.Object) (err error) {
		dst, err = appendMessage(dst, &metav1.PartialObjectMetadata{ObjectMeta: *runtime.Meta(obj)})
		return err
	})
	return dst, err
}
