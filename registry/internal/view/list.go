package view

import (
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// List is entries in one version. It writes item by item, and its bytes are those of the list
// type marshalled as a whole, but that items of a kind without protobuf say what they are. An error
// after the first chunk leaves an unfinished list behind.
type List struct {
	Factory
	Entries []*storage.Entry
	Meta    metav1.ListMeta
}

// NewList is a list without entries.
func (v Factory) NewList() *List { return &List{Factory: v, Entries: []*storage.Entry{}} }

func (l *List) WriteTo(w io.Writer, rep rest.Representation) error {
	return inChunks(w, func(out *chunks) error {
		switch {
		case rep.As == rest.AsTable:
			return l.writeTable(out, rep)
		case rep.As == rest.AsPartialObjectMetadata:
			return l.writePartial(out, rep)
		case rep.MediaType == rest.Protobuf:
			return l.writeProtobuf(out)
		}
		return l.writeText(out, rep)
	})
}

func (l *List) writeText(out *chunks, rep rest.Representation) error {
	item := func(dst []byte, i int) ([]byte, error) { return l.jsonItem(dst, *l.Entries[i]) }
	if !l.Kind.Protobuf() {
		item = l.sayingKind(item)
	}
	f := frame{kind: l.Kind.ListKind(), meta: l.Meta, items: "items"}
	return f.writeAs(out, rep, len(l.Entries), item)
}

// sayingKind makes items say what they are, as those of custom resources do.
func (l *List) sayingKind(item func(dst []byte, i int) ([]byte, error)) func(dst []byte, i int) ([]byte, error) {
	head := canonical.HeadOf(l.Kind)
	if l.ShowsDocuments() && l.Stored() {
		return func(dst []byte, i int) ([]byte, error) { return l.AppendShown(dst, head, *l.Entries[i]) }
	}
	return func(dst []byte, i int) ([]byte, error) {
		dst = append(dst, head...)
		brace := len(dst)
		dst, err := item(dst, i)
		if err == nil {
			dst[brace] = ',' // an item has its metadata at least
		}
		return dst, err
	}
}

func (l *List) writeProtobuf(out *chunks) error {
	if !l.Kind.Protobuf() {
		return encodingError(&serializer.NoProtobufError{Object: l.Kind.NewList()})
	}
	if !l.AsStored() {
		return l.writeConverted(out, l.Kind.ListKind(), l.appendVisible)
	}
	return l.writeItems(out, l.Kind.ListKind(), wire.ItemSize, wire.AppendItem)
}

// writeItems writes a list of kind whose items are cut out of the stored bytes: size says how long
// an item will be, item appends it.
func (l *List) writeItems(
	out *chunks, kind schema.GroupVersionKind,
	size func(value []byte, revision int64) (int, error),
	item func(dst, value []byte, revision int64) ([]byte, error),
) error {
	total := 0
	for _, e := range l.Entries {
		n, err := size(e.Value, e.Revision)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		total += n
	}
	if err := l.startProtobuf(out, kind, total); err != nil {
		return err
	}
	for _, e := range l.Entries {
		data, err := item(out.buf.AvailableBuffer(), e.Value, e.Revision)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		out.buf.Write(data)
		if err := out.flushFull(); err != nil {
			return err
		}
	}
	out.buf.Write(wire.AppendEnvelopeEnd(nil))
	return nil
}

func (l *List) startProtobuf(out *chunks, kind schema.GroupVersionKind, size int) error {
	meta, err := l.Meta.Marshal()
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	out.buf.Write(wire.AppendListStart(nil, kind.GroupVersion().String(), kind.Kind, meta, size))
	return nil
}

// appendMessage appends the message of m without an envelope.
func appendMessage(dst []byte, m runtime.Protobuf) ([]byte, error) {
	size := m.Size()
	if cap(dst)-len(dst) < size {
		dst = append(make([]byte, 0, len(dst)+size), dst...)
	}
	end := dst[:len(dst)+size]
	_, err := m.MarshalToSizedBuffer(end[len(dst):])
	return end, err
}
