package view

import (
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Virtual is an object that no store holds. It says its kind.
type Virtual struct {
	Obj   runtime.Object
	Table *Columns
}

func (v Virtual) WriteTo(w io.Writer, rep rest.Representation) error {
	if rep.As != rest.AsObject {
		return writeStructAs(w, v.Obj, v.Table, rep)
	}
	return Struct{v.Obj}.WriteTo(w, rep)
}

// VirtualList is a list of them.
type VirtualList struct {
	Kind, ListKind schema.GroupVersionKind
	Table          *Columns
	Items          []runtime.Object
}

func (l VirtualList) WriteTo(w io.Writer, rep rest.Representation) error {
	return inChunks(w, func(out *chunks) error { return l.write(out, rep) })
}

func (l VirtualList) write(out *chunks, rep rest.Representation) error {
	if rep.As == rest.AsTable {
		t := newTable(rep)
		return writeFrame(out, t.frame(l.Table, metav1.ListMeta{}, rep), len(l.Items), rep, func(dst []byte, i int) ([]byte, error) {
			obj := l.Items[i]
			return t.appendRowOf(dst, obj, l.Table, func(dst []byte) ([]byte, error) {
				obj.GetObjectKind().SetGroupVersionKind(l.Kind)
				return appendJSON(dst, obj)
			})
		})
	}
	f := frame{kind: l.ListKind, items: "items"}
	item := func(i int) any {
		l.Items[i].GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // items of a list carry no kind
		return l.Items[i]
	}
	if rep.As == rest.AsPartialObjectMetadata {
		f.kind = metaVersion(rep).WithKind(partialListKind)
		item = func(i int) any {
			return partial(runtime.Meta(l.Items[i]), metaVersion(rep))
		}
	}
	if rep.MediaType == rest.Protobuf {
		return l.writeProtobuf(out, f.kind, item)
	}
	return f.writeAs(out, rep, len(l.Items), func(dst []byte, i int) ([]byte, error) { return appendJSON(dst, item(i)) })
}

// writeProtobuf is for types that have such a form.
func (l VirtualList) writeProtobuf(out *chunks, kind schema.GroupVersionKind, item func(i int) any) error {
	var items, raw []byte
	for i := range l.Items {
		message, ok := item(i).(runtime.Protobuf)
		if !ok {
			return encodingError(&serializer.NoProtobufError{Object: l.Items[i]})
		}
		var err error
		if raw, err = appendMessage(raw[:0], message); err != nil {
			return apierrors.NewInternalError(err)
		}
		items = wire.AppendRawItem(items, raw)
	}
	meta, err := new(metav1.ListMeta).Marshal()
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	out.buf.Write(wire.AppendListStart(nil, kind.GroupVersion().String(), kind.Kind, meta, len(items)))
	out.buf.Write(items)
	out.buf.Write(wire.AppendEnvelopeEnd(nil))
	return nil
}
