package registry

import (
	"bytes"
	"encoding/json"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// chunk is about how much of a list is in memory before it is written.
const chunk = 64 << 10

// listView is entries in one version. It writes item by item, and its bytes are those of the list type marshalled as a
// whole: items carry no kind. An error after the first chunk leaves an unfinished list behind.
type listView struct {
	version
	entries []storage.Entry
	meta    metav1.ListMeta
}

func (l *listView) WriteTo(w io.Writer, form rest.Form) error {
	out := &chunks{w: w}
	var err error
	switch form.MediaType {
	case rest.Protobuf:
		err = l.writeProtobuf(out)
	case rest.YAML:
		err = l.writeYAML(out)
	default:
		err = l.writeJSON(out, form.Pretty)
	}
	if err != nil {
		return err
	}
	return out.flush()
}

// chunks collects bytes and writes them when there are enough.
type chunks struct {
	w   io.Writer
	buf bytes.Buffer
}

func (c *chunks) flushFull() error {
	if c.buf.Len() < chunk {
		return nil
	}
	return c.flush()
}

func (c *chunks) flush() error {
	_, err := c.buf.WriteTo(c.w)
	return err
}

func (l *listView) writeJSON(out *chunks, pretty bool) error {
	kind := l.kind.ListKind()
	meta, err := json.Marshal(l.meta)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	p := printer{buf: &out.buf, pretty: pretty}
	p.line(0, "{")
	p.line(1, `"kind":`, quote(kind.Kind), ",")
	p.line(1, `"apiVersion":`, quote(kind.GroupVersion().String()), ",")
	p.line(1, `"metadata":`)
	if err := p.value(1, meta); err != nil {
		return apierrors.NewInternalError(err)
	}
	p.text(",")
	p.line(1, `"items":`)
	p.text("[")
	item := new(bytes.Buffer)
	enc := json.NewEncoder(item)
	for i, e := range l.entries {
		obj, err := l.object(e.Value, e.Revision)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		item.Reset()
		if err := enc.Encode(obj); err != nil {
			return encodingError(err)
		}
		if i > 0 {
			p.text(",")
		}
		p.line(2)
		if err := p.value(2, bytes.TrimSuffix(item.Bytes(), []byte("\n"))); err != nil {
			return apierrors.NewInternalError(err)
		}
		if err := out.flushFull(); err != nil {
			return err
		}
	}
	if len(l.entries) > 0 {
		p.line(1)
	}
	p.text("]")
	p.line(0, "}")
	p.text("\n")
	return nil
}

// printer writes the frame of a list as encoding/json would, with or without indentation.
type printer struct {
	buf     *bytes.Buffer
	pretty  bool
	started bool
}

// line begins a line at a depth (if lines matter) and writes parts. A part that ends in a colon is a key.
func (p *printer) line(depth int, parts ...string) {
	if p.pretty && p.started {
		p.text("\n")
		for range depth {
			p.text("  ")
		}
	}
	p.started = true
	for _, part := range parts {
		p.text(part)
		if p.pretty && part[len(part)-1] == ':' {
			p.text(" ")
		}
	}
}

func (p *printer) text(s string) { p.buf.WriteString(s) }

// value writes compact JSON that begins at the current position, within a line of the given depth.
func (p *printer) value(depth int, data []byte) error {
	if !p.pretty {
		p.buf.Write(data)
		return nil
	}
	return json.Indent(p.buf, data, "    "[:2*depth], "  ")
}

func quote(s string) string {
	q, _ := json.Marshal(s)
	return string(q)
}

// writeYAML is for people and small lists: the whole of it is in memory, as JSON and as YAML.
func (l *listView) writeYAML(out *chunks) error {
	var whole bytes.Buffer
	asJSON := &chunks{w: &whole}
	if err := l.writeJSON(asJSON, false); err != nil {
		return err
	}
	if err := asJSON.flush(); err != nil {
		return err
	}
	data, err := yaml.JSONToYAML(whole.Bytes())
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	out.buf.Write(data)
	return nil
}

func (l *listView) writeProtobuf(out *chunks) error {
	if !l.stored() {
		return l.writeConvertedProtobuf(out)
	}
	size := 0
	for _, e := range l.entries {
		n, err := wire.ItemSize(e.Value, e.Revision)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		size += n
	}
	if err := l.startProtobuf(out, size); err != nil {
		return err
	}
	for _, e := range l.entries {
		item, err := wire.AppendItem(out.buf.AvailableBuffer(), e.Value, e.Revision)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		out.buf.Write(item)
		if err := out.flushFull(); err != nil {
			return err
		}
	}
	out.buf.Write(wire.AppendEnvelopeEnd(nil))
	return nil
}

// writeConvertedProtobuf writes another version than the stored one. The length of a list comes before its items, so
// all of them are in memory first.
func (l *listView) writeConvertedProtobuf(out *chunks) error {
	if !l.kind.Protobuf() {
		return encodingError(&serializer.NoProtobufError{Object: l.kind.NewList()})
	}
	var items, raw []byte
	for _, e := range l.entries {
		obj, err := l.object(e.Value, e.Revision)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		if raw, err = appendMessage(raw[:0], obj.(runtime.Protobuf)); err != nil {
			return apierrors.NewInternalError(err)
		}
		items = wire.AppendRawItem(items, raw)
	}
	if err := l.startProtobuf(out, len(items)); err != nil {
		return err
	}
	out.buf.Write(items)
	out.buf.Write(wire.AppendEnvelopeEnd(nil))
	return nil
}

func (l *listView) startProtobuf(out *chunks, size int) error {
	meta, err := l.meta.Marshal()
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	kind := l.kind.ListKind()
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
