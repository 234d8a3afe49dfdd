package registry

import (
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// tableRows is the key of what a Table has in place of items.
const tableRows = "rows"

// row is a line of a Table before it is written. Its object is still the whole one if there was a reason to decode it.
type row struct {
	meta  *metav1.ObjectMeta
	cells []any // behind the name
	obj   runtime.Object
}

// writtenRow has the JSON of a metav1.TableRow.
type writtenRow struct {
	Cells  []any             `json:"cells"`
	Object apiruntime.Object `json:"object"`
}

// table says how the rows of one answer are written.
type table struct {
	gv      schema.GroupVersion // of the Table, and of the metadata in its rows
	include metav1.IncludeObjectPolicy
	now     time.Time // all ages of an answer are of one moment
}

func newTable(form rest.Form) table {
	t := table{gv: metav1.SchemeGroupVersion, include: form.IncludeObject, now: time.Now()}
	if form.AsVersion != "" {
		t.gv.Version = form.AsVersion
	}
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

// row makes a row of an entry. Without a need for the object only its metadata is decoded.
func (t table) row(v version, e storage.Entry) (any, error) {
	if v.table.cells == nil && t.include != metav1.IncludeObject {
		meta, err := v.metadata(e)
		if err != nil {
			return nil, err
		}
		return t.write(row{meta: meta, cells: []any{meta.CreationTimestamp}}), nil
	}
	obj, err := v.object(e)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(v.kind.GroupVersionKind())
	return t.rowOf(obj, v.table)
}

// rowOf makes a row of an object that says its kind.
func (t table) rowOf(obj runtime.Object, c *columns) (any, error) {
	cells, err := c.of(obj)
	if err != nil {
		return nil, err
	}
	return t.write(row{meta: runtime.Meta(obj), cells: cells, obj: obj}), nil
}

func (t table) write(r row) writtenRow {
	cells := make([]any, 0, len(r.cells)+1)
	cells = append(cells, r.meta.Name)
	for _, cell := range r.cells {
		if at, ok := cell.(metav1.Time); ok {
			cell = since(at.Time, t.now)
		}
		cells = append(cells, cell)
	}
	w := writtenRow{Cells: cells}
	switch t.include {
	case metav1.IncludeNone:
	case metav1.IncludeObject:
		w.Object = r.obj
	default:
		w.Object = partial(r.meta, t.gv)
	}
	return w
}

func (l *listView) writeTable(out *chunks, form rest.Form) error {
	t := newTable(form)
	return writeFrame(out, t.frame(l.table, l.meta, form), len(l.entries), form, func(i int) (any, error) {
		return t.row(l.version, l.entries[i])
	})
}

// writeTable writes a table of one row.
func (o *objectView) writeTable(w io.Writer, form rest.Form) error {
	t := newTable(form)
	f := t.frame(o.table, metav1.ListMeta{ResourceVersion: formatRevision(o.entry.Revision)}, form)
	return writeRow(w, f, form, func(int) (any, error) { return t.row(o.version, o.entry) })
}

// writeStructAs writes an object that is no entry in the form that it is to be turned into.
func writeStructAs(w io.Writer, obj runtime.Object, c *columns, form rest.Form) error {
	meta := runtime.Meta(obj)
	if form.As == rest.AsPartialObjectMetadata {
		return writePartialOf(w, meta, form)
	}
	t := newTable(form)
	f := t.frame(c, metav1.ListMeta{ResourceVersion: meta.ResourceVersion}, form)
	return writeRow(w, f, form, func(int) (any, error) { return t.rowOf(obj, c) })
}

func writeRow(w io.Writer, f frame, form rest.Form, row func(int) (any, error)) error {
	out := &chunks{w: w}
	if err := writeFrame(out, f, 1, form, row); err != nil {
		return err
	}
	return out.flush()
}

// writeFrame writes a Table in the media types that it has.
func writeFrame(out *chunks, f frame, n int, form rest.Form, row func(int) (any, error)) error {
	item := func(dst []byte, i int) ([]byte, error) {
		r, err := row(i)
		if err != nil {
			return nil, err
		}
		return appendJSON(dst, r)
	}
	switch form.MediaType {
	case rest.JSON:
		return f.write(out, form.Pretty, n, item)
	case rest.YAML:
		return writeYAML(out, func(out *chunks) error { return f.write(out, false, n, item) })
	}
	return apierrors.NewInternalError(errNoTable)
}
