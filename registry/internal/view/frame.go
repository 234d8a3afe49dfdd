package view

import (
	"bytes"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// frame is the JSON of a list around its items.
type frame struct {
	kind schema.GroupVersionKind
	meta metav1.ListMeta
	// items is the key of the items. Those of a Table are its rows, and the columns come before
	// them.
	items   string
	columns []metav1.TableColumnDefinition
}

// writeAs writes a list of n items in one of the media types that are text; item appends the JSON
// of the i-th.
func (f frame) writeAs(out *chunks, rep rest.Representation, n int, item func(dst []byte, i int) ([]byte, error)) error {
	if rep.MediaType == rest.YAML {
		return f.writeYAML(out, n, item)
	}
	return f.write(out, rep.Pretty, n, item)
}

// write writes a list of n items, one by one; item appends the JSON of the i-th. An error after the
// first chunk leaves an unfinished list behind.
func (f frame) write(out *chunks, pretty bool, n int, item func(dst []byte, i int) ([]byte, error)) error {
	meta, err := json.Marshal(f.meta)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	p := printer{buf: &out.buf, pretty: pretty}
	p.line(0, "{")
	p.line(1, `"kind":`, quote(f.kind.Kind), ",")
	p.line(1, `"apiVersion":`, quote(f.kind.GroupVersion().String()), ",")
	p.line(1, `"metadata":`)
	if err := p.value(1, meta); err != nil {
		return apierrors.NewInternalError(err)
	}
	p.text(",")
	if f.items == tableRows {
		if err := f.writeColumns(&p); err != nil {
			return apierrors.NewInternalError(err)
		}
	}
	p.line(1, quote(f.items), ":")
	p.text("[")
	var one []byte
	for i := range n {
		if i > 0 {
			p.text(",")
		}
		p.line(2)
		if !pretty {
			one = out.buf.AvailableBuffer()
		}
		if one, err = item(one[:0], i); err != nil {
			return encodingError(err)
		}
		if err := p.value(2, one); err != nil {
			return apierrors.NewInternalError(err)
		}
		if err := out.flushFull(); err != nil {
			return err
		}
	}
	if n > 0 {
		p.line(1)
	}
	p.text("]")
	p.line(0, "}")
	p.text("\n")
	return nil
}

func (f frame) writeColumns(p *printer) error {
	columns, err := json.Marshal(f.columns)
	if err != nil {
		return err
	}
	p.line(1, `"columnDefinitions":`)
	if err := p.value(1, columns); err != nil {
		return err
	}
	p.text(",")
	return nil
}

// printer writes the frame of a list as encoding/json would, with or without indentation.
type printer struct {
	buf     *bytes.Buffer
	pretty  bool
	started bool
}

// line begins a line at a depth (if lines matter) and writes parts. A part that ends in a colon is
// a key.
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
	return serializer.Indent(p.buf, data, "    "[:2*depth])
}

// appendJSON appends what encoding/json makes of a value.
func appendJSON(dst []byte, v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(dst, data...), err
}

func quote(s string) string {
	q, _ := json.Marshal(s)
	return string(q)
}
