package registry

import (
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
)

// virtualView is an object that no store holds. It says its kind.
type virtualView struct {
	obj   runtime.Object
	table *columns
}

func (v virtualView) WriteTo(w io.Writer, form rest.Form) error {
	if form.As != rest.AsObject {
		return writeStructAs(w, v.obj, v.table, form)
	}
	return structView{v.obj}.WriteTo(w, form)
}

// virtualList is a list of them.
type virtualList struct {
	kind, listKind schema.GroupVersionKind
	table          *columns
	items          []runtime.Object
}

func (l virtualList) WriteTo(w io.Writer, form rest.Form) error {
	return inChunks(w, func(out *chunks) error { return l.write(out, form) })
}

func (l virtualList) write(out *chunks, form rest.Form) error {
	if form.As == rest.AsTable {
		t := newTable(form)
		return writeFrame(out, t.frame(l.table, metav1.ListMeta{}, form), len(l.items), form, func(dst []byte, i int) ([]byte, error) {
			obj := l.items[i]
			row, err := t.rowOf(obj, l.table, func(dst []byte) ([]byte, error) {
				obj.GetObjectKind().SetGroupVersionKind(l.kind)
				return appendJSON(dst, obj)
			})
			if err != nil {
				return nil, err
			}
			return fillAges(dst, row, t.now), nil
		})
	}
	f := frame{kind: l.listKind, items: "items"}
	item := func(i int) any {
		l.items[i].GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // items of a list carry no kind
		return l.items[i]
	}
	if form.As == rest.AsPartialObjectMetadata {
		f.kind = metaVersion(form).WithKind(partialListKind)
		item = func(i int) any {
			return partial(runtime.Meta(l.items[i]), metaVersion(form))
		}
	}
	writeJSON := func(out *chunks, pretty bool) error {
		return f.write(out, pretty, len(l.items), func(dst []byte, i int) ([]byte, error) { return appendJSON(dst, item(i)) })
	}
	switch form.MediaType {
	case rest.Protobuf:
		return l.writeProtobuf(out, f.kind, item)
	case rest.YAML:
		return writeYAML(out, func(out *chunks) error { return writeJSON(out, false) })
	}
	return writeJSON(out, form.Pretty)
}

// writeProtobuf is for types that have such a form.
func (l virtualList) writeProtobuf(out *chunks, kind schema.GroupVersionKind, item func(i int) any) error {
	var items, raw []byte
	for i := range l.items {
		message, ok := item(i).(runtime.Protobuf)
		if !ok {
			return encodingError(&serializer.NoProtobufError{Object: l.items[i]})
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

// selectorOf returns which objects the options select by what every kind has.
func selectorOf(opts metav1.ListOptions) (func(*metav1.ObjectMeta) bool, error) {
	byLabel, err := labels.Parse(opts.LabelSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("labelSelector: %v", err))
	}
	byField, err := fields.ParseSelector(opts.FieldSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("fieldSelector: %v", err))
	}
	for _, r := range byField.Requirements() {
		if r.Field != "metadata.name" && r.Field != "metadata.namespace" {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", r.Field))
		}
	}
	return func(meta *metav1.ObjectMeta) bool {
		return byLabel.Matches(labels.Set(meta.Labels)) && byField.Matches(fields.Set{"metadata.name": meta.Name, "metadata.namespace": meta.Namespace})
	}, nil
}
