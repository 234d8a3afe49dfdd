package view

import (
	"io"
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

// table says how the rows of one answer are written.
type table struct {
	gv      schema.GroupVersion // of the Table, and of the metadata in its rows
	include metav1.IncludeObjectPolicy
	now     time.Time // all ages of an answer are of one moment
	partial string    // what a row has before the content of its metadata
	// date appends what a column shows of a time.
	date func(dst []byte, at time.Time) []byte
}

func newTable(rep rest.Representation) table {
	t := table{gv: metaVersion(rep), include: rep.IncludeObject, now: time.Now()}
	t.partial = string(appendPartialStart(nil, t.gv))
	t.date = func(dst []byte, at time.Time) []byte { return appendSince(dst, at, t.now) }
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

// appendRow appends the row of an entry. In the stored version it is made of the entry's bytes,
// unless a function of the hub fills the columns. All else decodes the object, once for the whole
// row.
func (t table) appendRow(dst []byte, v Factory, e storage.Entry) ([]byte, error) {
	if v.AsStored() && v.table.fromBytes() && (t.include != metav1.IncludeObject || v.head != "") {
		if row, err := t.appendStoredRow(dst, v, e); err == nil {
			return row, nil
		}
	}
	return t.appendDecodedRow(dst, v, e)
}

func (t table) appendStoredRow(dst []byte, v Factory, e storage.Entry) ([]byte, error) {
	dst, err := v.table.appendStored(append(dst, cellsStart...), e.Value, t.date)
	if err != nil {
		return nil, err
	}
	dst = append(dst, cellsEnd...)
	if t.include != metav1.IncludeObject {
		return t.appendEntry(dst, v, e, nil)
	}
	return t.appendObject(dst, nil, func(dst []byte) ([]byte, error) { return v.appendJSON(dst, e) })
}

func (t table) appendDecodedRow(dst []byte, v Factory, e storage.Entry) (_ []byte, err error) {
	err = v.Look(e, func(obj runtime.Object) error {
		obj.GetObjectKind().SetGroupVersionKind(v.Kind.GroupVersionKind())
		cells, err := v.table.of(obj)
		if err != nil {
			return err
		}
		if dst, err = t.appendCells(dst, cells); err != nil {
			return err
		}
		if t.include != metav1.IncludeObject {
			dst, err = t.appendEntry(dst, v, e, runtime.Meta(obj))
			return err
		}
		dst, err = t.appendObject(dst, nil, func(dst []byte) ([]byte, error) {
			if v.ShowsDocuments() {
				return v.AppendShown(dst, v.head, e)
			}
			return v.Kind.AppendJSON(dst, obj)
		})
		return err
	})
	return dst, err
}

// appendEntry appends what a row of an entry has behind its cells, unless that is the whole object.
// meta is not needed in the stored version.
func (t table) appendEntry(dst []byte, v Factory, e storage.Entry, meta *metav1.ObjectMeta) ([]byte, error) {
	if t.include == metav1.IncludeNone || !v.AsStored() {
		return t.appendObject(dst, meta, nil)
	}
	dst, err := appendPartialOfEntry(dst, e, t.partial)
	return append(dst, '}'), err
}

// appendRowOf appends the row of an object that says its kind; object appends the whole of it.
func (t table) appendRowOf(dst []byte, obj runtime.Object, c *Columns, object func([]byte) ([]byte, error)) ([]byte, error) {
	cells, err := c.of(obj)
	if err != nil {
		return nil, err
	}
	if dst, err = t.appendCells(dst, cells); err != nil {
		return nil, err
	}
	return t.appendObject(dst, runtime.Meta(obj), object)
}

// What stands before and behind the cells in the JSON of a metav1.TableRow.
const (
	cellsStart = `{"cells":[`
	cellsEnd   = `],"object":`
)

// appendCells appends the beginning of the JSON of a metav1.TableRow.
func (t table) appendCells(dst []byte, cells []any) ([]byte, error) {
	dst, err := runtime.AppendCells(append(dst, cellsStart...), cells, t.date)
	return append(dst, cellsEnd...), err
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
	t := newTable(rep)
	return writeFrame(out, t.frame(l.table, l.Meta, rep), len(l.Entries), rep, func(dst []byte, i int) ([]byte, error) {
		return t.appendRow(dst, l.Factory, *l.Entries[i])
	})
}

// writeTable writes a table of one row.
func (o *Object) writeTable(w io.Writer, rep rest.Representation) error {
	t := newTable(rep)
	f := t.frame(o.table, metav1.ListMeta{ResourceVersion: storage.FormatRevision(o.Entry.Revision)}, rep)
	return writeRow(w, f, rep, func(dst []byte) ([]byte, error) { return t.appendRow(dst, o.Factory, o.Entry) })
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
		return t.appendRowOf(dst, obj, c, func(dst []byte) ([]byte, error) { return appendJSON(dst, obj) })
	})
}

func writeRow(w io.Writer, f frame, rep rest.Representation, row func(dst []byte) ([]byte, error)) error {
	return inChunks(w, func(out *chunks) error {
		return writeFrame(out, f, 1, rep, func(dst []byte, _ int) ([]byte, error) { return row(dst) })
	})
}

// writeFrame writes a Table of n rows in the media types that it has.
func writeFrame(out *chunks, f frame, n int, rep rest.Representation, row func(dst []byte, i int) ([]byte, error)) error {
	if rep.MediaType == rest.Protobuf {
		return apierrors.NewInternalError(errNoTable)
	}
	return f.writeAs(out, rep, n, row)
}
