package view

import (
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

// cellsSize is about what the cells of a row take.
const cellsSize = 256

// table says how the rows of one answer are written.
type table struct {
	gv      schema.GroupVersion // of the Table, and of the metadata in its rows
	include metav1.IncludeObjectPolicy
	now     time.Time // all ages of an answer are of one moment
	row     string    // what its rows are called in the cache
	partial string    // what a row has before the content of its metadata
}

func newTable(rep rest.Representation) table {
	t := table{gv: metaVersion(rep), include: rep.IncludeObject, now: time.Now()}
	t.partial = string(appendPartialStart(nil, t.gv))
	t.row = t.gv.Version + "/" + string(t.include)
	return t
}

// frame is what is around the rows.
func (t table) frame(c *Columns, meta metav1.ListMeta, rep rest.Representation) frame {
	f := frame{kind: t.gv.WithKind("Table"), meta: meta, items: tableRows}
	if !rep.NoHeaders {
		f.columns = c.definitions
	}
	return f
}

// appendRow appends the row of an entry. Its cells come out of the cache encoded, where they are
// left for whoever comes next.
func (t table) appendRow(dst []byte, v Factory, e storage.Entry, encoded *EncodeCache) ([]byte, error) {
	row, err := t.keptRow(v, e, encoded)
	if err != nil {
		return nil, err
	}
	dst = fillAges(dst, row, t.now)
	if !t.endsWithMetadata(v) {
		return dst, nil
	}
	dst, err = appendPartialOfEntry(dst, e, t.partial)
	return append(dst, '}'), err
}

// endsWithMetadata says whether rows are kept without the metadata at their end, because that is
// made of the entry's bytes each time.
func (t table) endsWithMetadata(v Factory) bool {
	return v.AsStored() && (t.include == metav1.IncludeMetadata || t.include == "")
}

// rowSize is about how long the rows of entries are as they are kept.
func (t table) rowSize(v Factory) func(storage.Entry) int {
	if t.include == metav1.IncludeNone || t.endsWithMetadata(v) {
		return func(storage.Entry) int { return cellsSize }
	}
	return jsonSize
}

// keptRow is the row of an entry with holes for ages, out of the cache encoded or for it.
func (t table) keptRow(v Factory, e storage.Entry, encoded *EncodeCache) ([]byte, error) {
	k := memoKey{kind: v.Kind, form: t.row, key: e.Key, revision: e.Revision}
	if row, ok := encoded.get(k); ok {
		return row, nil
	}
	row, err := t.rowOfEntry(v, e)
	if err != nil || encoded == nil {
		return row, err
	}
	row = slices.Clone(row) // as long as it has to be
	encoded.put(k, row)
	return row, nil
}

// rowOfEntry makes a row as it is kept. Without a need for the object only its metadata is decoded.
func (t table) rowOfEntry(v Factory, e storage.Entry) ([]byte, error) {
	if v.table.cells == nil && t.include != metav1.IncludeObject {
		meta, err := v.metadata(e)
		if err != nil {
			return nil, err
		}
		row, err := appendCells(nil, []any{meta.Name, meta.CreationTimestamp})
		if err != nil || t.endsWithMetadata(v) {
			return row, err
		}
		return t.appendObject(row, meta, nil)
	}
	obj, err := v.Visible(e)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(v.Kind.GroupVersionKind())
	row, err := appendCellsOf(nil, obj, v.table)
	if err != nil || t.endsWithMetadata(v) {
		return row, err
	}
	return t.appendObject(row, runtime.Meta(obj), func(dst []byte) ([]byte, error) {
		if v.ShowsDocuments() {
			return v.AppendShown(dst, v.head, e)
		}
		return v.Kind.AppendJSON(dst, obj)
	})
}

// rowOf makes a row with holes of an object that says its kind; object appends the whole of it.
func (t table) rowOf(obj runtime.Object, c *Columns, object func([]byte) ([]byte, error)) ([]byte, error) {
	row, err := appendCellsOf(nil, obj, c)
	if err != nil {
		return nil, err
	}
	return t.appendObject(row, runtime.Meta(obj), object)
}

func appendCellsOf(dst []byte, obj runtime.Object, c *Columns) ([]byte, error) {
	cells, err := c.of(obj)
	if err != nil {
		return nil, err
	}
	return appendCells(dst, cells)
}

// appendCells appends the beginning of the JSON of a metav1.TableRow, with holes where ages will
// be.
func appendCells(dst []byte, cells []any) ([]byte, error) {
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
	return append(dst, `],"object":`...), nil
}

// appendObject appends what a row has behind its cells; object appends the whole object.
func (t table) appendObject(dst []byte, meta *metav1.ObjectMeta, object func([]byte) ([]byte, error)) ([]byte, error) {
	var err error
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

func (l *List) writeTable(out *chunks, rep rest.Representation) error {
	t, encoded := newTable(rep), l.encoded
	if !encoded.fit(l.Entries, t.rowSize(l.Factory)) {
		encoded = nil
	}
	return writeFrame(out, t.frame(l.table, l.Meta, rep), len(l.Entries), rep, func(dst []byte, i int) ([]byte, error) {
		return t.appendRow(dst, l.Factory, *l.Entries[i], encoded)
	})
}

// writeTable writes a table of one row.
func (o *Object) writeTable(w io.Writer, rep rest.Representation) error {
	t := newTable(rep)
	f := t.frame(o.table, metav1.ListMeta{ResourceVersion: storage.FormatRevision(o.Entry.Revision)}, rep)
	return writeRow(w, f, rep, func(dst []byte) ([]byte, error) { return t.appendRow(dst, o.Factory, o.Entry, o.encoded) })
}

// writeStructAs writes an object that is no entry in the form that it is to be turned into.
func writeStructAs(w io.Writer, obj runtime.Object, c *Columns, rep rest.Representation) error {
	meta := runtime.Meta(obj)
	if rep.As == rest.AsPartialObjectMetadata {
		return writePartialOf(w, meta, rep)
	}
	t := newTable(rep)
	f := t.frame(c, metav1.ListMeta{ResourceVersion: meta.ResourceVersion}, rep)
	return writeRow(w, f, rep, func(dst []byte) ([]byte, error) {
		row, err := t.rowOf(obj, c, func(dst []byte) ([]byte, error) { return appendJSON(dst, obj) })
		if err != nil {
			return nil, err
		}
		return fillAges(dst, row, t.now), nil
	})
}

func writeRow(w io.Writer, f frame, rep rest.Representation, row func(dst []byte) ([]byte, error)) error {
	return inChunks(w, func(out *chunks) error {
		return writeFrame(out, f, 1, rep, func(dst []byte, _ int) ([]byte, error) { return row(dst) })
	})
}

// writeFrame writes a Table of n rows in the media types that it has.
func writeFrame(out *chunks, f frame, n int, rep rest.Representation, row func(dst []byte, i int) ([]byte, error)) error {
	switch rep.MediaType {
	case rest.JSON:
		return f.write(out, rep.Pretty, n, row)
	case rest.YAML:
		return writeYAML(out, func(out *chunks) error { return f.write(out, false, n, row) })
	}
	return apierrors.NewInternalError(errNoTable)
}
