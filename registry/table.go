package registry

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// tableRows is the key of what a Table has in place of items.
const tableRows = "rows"

// rowObject is between the cells of a row and its object.
const rowObject = `],"object":`

// table says how the rows of one answer are written.
type table struct {
	gv      schema.GroupVersion // of the Table, and of the metadata in its rows
	include metav1.IncludeObjectPolicy
	now     time.Time // all ages of an answer are of one moment
	row     string    // what its rows are called in the cache
}

func newTable(form rest.Form) table {
	t := table{gv: metaVersion(form), include: form.IncludeObject, now: time.Now()}
	t.row = t.gv.Version + "/" + string(t.include)
	return t
}

// frame is what is around the rows.
func (t table) frame(c *columns, meta metav1.ListMeta, form rest.Form) frame {
	f := frame{kind: t.gv.WithKind("Table"), meta: meta, items: tableRows}
	if !form.NoHeaders {
		f.columns = c.definitions
	}
	return f
}

// appendRow appends the row of an entry, out of the cache encoded, where it is left for whoever comes next.
func (t table) appendRow(dst []byte, v version, e storage.Entry, encoded *EncodeCache) ([]byte, error) {
	if encoded == nil {
		row, err := t.rowOfEntry(v, e)
		return fillAges(dst, row, t.now), err
	}
	k := memoKey{kind: v.kind, form: t.row, key: e.Key, revision: e.Revision}
	row, ok := encoded.get(k)
	if !ok {
		whole, err := t.rowOfEntry(v, e)
		if err != nil {
			return nil, err
		}
		if row, err = t.keptRow(whole, v, e, encoded); err != nil {
			return nil, err
		}
		encoded.put(k, row)
	}
	return t.fill(dst, row, func() ([]byte, error) { return v.keptItem(encoded, e) })
}

// rowOfEntry makes a row with holes. Without a need for the object only its metadata is decoded.
func (t table) rowOfEntry(v version, e storage.Entry) ([]byte, error) {
	if v.table.cells == nil && t.include != metav1.IncludeObject {
		meta, err := v.metadata(e)
		if err != nil {
			return nil, err
		}
		return t.appendHoled(nil, meta, []any{meta.Name, meta.CreationTimestamp}, nil)
	}
	obj, err := v.visible(e)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(v.kind.GroupVersionKind())
	return t.rowOf(obj, v.table, func(dst []byte) ([]byte, error) {
		if v.showsDocuments() {
			return v.appendShown(dst, v.json.head, e)
		}
		return v.kind.AppendJSON(dst, obj)
	})
}

// rowOf makes a row with holes of an object that says its kind; object appends the whole of it.
func (t table) rowOf(obj runtime.Object, c *columns, object func([]byte) ([]byte, error)) ([]byte, error) {
	cells, err := c.of(obj)
	if err != nil {
		return nil, err
	}
	return t.appendHoled(nil, runtime.Meta(obj), cells, object)
}

// appendHoled appends the JSON of a metav1.TableRow, with holes where ages will be.
func (t table) appendHoled(dst []byte, meta *metav1.ObjectMeta, cells []any, object func([]byte) ([]byte, error)) ([]byte, error) {
	dst = append(dst, `{"cells":[`...)
	var err error
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendCell(dst, cell); err != nil {
			return nil, err
		}
	}
	dst = append(dst, rowObject...)
	switch t.include {
	case metav1.IncludeNone:
		dst = append(dst, "null"...)
	case metav1.IncludeObject:
		dst, err = object(dst)
	default:
		dst, err = appendPartial(dst, meta, t.gv)
	}
	return append(dst, '}'), err
}

func (l *listView) writeTable(out *chunks, form rest.Form) error {
	t, encoded := newTable(form), l.encoded
	if !encoded.fit(l.entries) {
		encoded = nil
	}
	return writeFrame(out, t.frame(l.table, l.meta, form), len(l.entries), form, func(dst []byte, i int) ([]byte, error) {
		return t.appendRow(dst, l.version, l.entries[i], encoded)
	})
}

// writeTable writes a table of one row.
func (o *objectView) writeTable(w io.Writer, form rest.Form) error {
	t := newTable(form)
	f := t.frame(o.table, metav1.ListMeta{ResourceVersion: storage.FormatRevision(o.entry.Revision)}, form)
	return writeRow(w, f, form, func(dst []byte) ([]byte, error) { return t.appendRow(dst, o.version, o.entry, o.encoded) })
}

// writeStructAs writes an object that is no entry in the form that it is to be turned into.
func writeStructAs(w io.Writer, obj runtime.Object, c *columns, form rest.Form) error {
	meta := runtime.Meta(obj)
	if form.As == rest.AsPartialObjectMetadata {
		return writePartialOf(w, meta, form)
	}
	t := newTable(form)
	f := t.frame(c, metav1.ListMeta{ResourceVersion: meta.ResourceVersion}, form)
	return writeRow(w, f, form, func(dst []byte) ([]byte, error) {
		row, err := t.rowOf(obj, c, func(dst []byte) ([]byte, error) { return appendJSON(dst, obj) })
		if err != nil {
			return nil, err
		}
		return fillAges(dst, row, t.now), nil
	})
}

func writeRow(w io.Writer, f frame, form rest.Form, row func(dst []byte) ([]byte, error)) error {
	return inChunks(w, func(out *chunks) error {
		return writeFrame(out, f, 1, form, func(dst []byte, _ int) ([]byte, error) { return row(dst) })
	})
}

// writeFrame writes a Table of n rows in the media types that it has.
func writeFrame(out *chunks, f frame, n int, form rest.Form, row func(dst []byte, i int) ([]byte, error)) error {
	switch form.MediaType {
	case rest.JSON:
		return f.write(out, form.Pretty, n, row)
	case rest.YAML:
		return writeYAML(out, func(out *chunks) error { return f.write(out, false, n, row) })
	}
	return apierrors.NewInternalError(errNoTable)
}

// The metadata of an object is most of its row, and it is in the object's JSON too, which lists
// keep. So a row that is kept has a hole for it: metadataHole, and four bytes that say how long it
// is. There is no such byte in JSON.
const (
	metadataHole = 1
	behindHole   = "}}" // what a row has behind its metadata
	holeSize     = 1 + 4
)

// itemStart is how the JSON of an item begins whose metadata comes first, as it does in all types
// that are written as Kubernetes' are.
const itemStart = `{"metadata":`

// keptRow is a row as it is kept, as long as it has to be: without its metadata, if the JSON of the
// object has the same.
func (t table) keptRow(row []byte, v version, e storage.Entry, encoded *EncodeCache) ([]byte, error) {
	if t.include != metav1.IncludeMetadata && t.include != "" {
		return slices.Clone(row), nil
	}
	item, err := v.keptItem(encoded, e)
	if err != nil {
		return nil, err
	}
	_, metadata, ok := bytes.Cut(row, appendPartialStart([]byte(rowObject), t.gv))
	if !ok || !bytes.HasPrefix(item, []byte(itemStart)) {
		return slices.Clone(row), nil
	}
	if metadata = bytes.TrimSuffix(metadata, []byte(behindHole)); !bytes.HasPrefix(item[len(itemStart):], metadata) {
		return slices.Clone(row), nil
	}
	start := row[:len(row)-len(metadata)-len(behindHole)]
	kept := make([]byte, 0, len(start)+holeSize+len(behindHole))
	kept = binary.BigEndian.AppendUint32(append(append(kept, start...), metadataHole), uint32(len(metadata)))
	return append(kept, behindHole...), nil
}

// fill appends a kept row, with the ages that it has now and with its metadata, for which it asks
// for the JSON of the object.
func (t table) fill(dst, kept []byte, item func() ([]byte, error)) ([]byte, error) {
	hole := len(kept) - len(behindHole) - holeSize
	if hole < 0 || kept[hole] != metadataHole {
		return fillAges(dst, kept, t.now), nil
	}
	whole, err := item()
	if err != nil {
		return nil, err
	}
	dst = fillAges(dst, kept[:hole], t.now)
	size := binary.BigEndian.Uint32(kept[hole+1:])
	dst = append(dst, whole[len(itemStart):][:size]...)
	return append(dst, behindHole...), nil
}
