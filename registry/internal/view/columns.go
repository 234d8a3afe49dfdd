package view

import (
	"errors"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/transcode"
	"github.com/typeplane/typeplane/runtime/wire"
)

// errNoTable is a mistake of the caller: negotiation offers Tables as JSON and YAML only.
var errNoTable = errors.New("a Table is written as JSON or YAML only")

// Columns are what a Table shows of the objects of one version.
type Columns struct {
	definitions []metav1.TableColumnDefinition
	// named says that the name is the first column, before what cells returns.
	named bool
	// cells returns what stands behind the name. nil: the age, for which the metadata is enough.
	cells func(runtime.Object) ([]any, error)
	// stored appends the same from the message of a stored object; nil: it is decoded.
	stored *transcode.Cells
}

var (
	NameColumn = metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name",
		Description: "Name must be unique among the objects of a kind, within a namespace if the kind has them."}
	AgeColumn = metav1.TableColumnDefinition{Name: "Age", Type: "date",
		Description: "Age is the time since the object was created."}

	// NameAndAge are the columns of kinds that declare none.
	NameAndAge = &Columns{named: true, definitions: []metav1.TableColumnDefinition{NameColumn, AgeColumn}}
)

// NewColumns are those of the resource, for every version, or those of the version itself.
func NewColumns(definitions []metav1.TableColumnDefinition, cells func(hub runtime.Object) []any, kind *runtime.Kind) *Columns {
	switch {
	case cells != nil:
		return ColumnsOf(definitions, func(obj runtime.Object) ([]any, error) {
			hub, err := kind.ToHub(obj)
			if err != nil {
				return nil, err
			}
			return cells(hub), nil
		})
	case len(kind.Columns()) > 0:
		columns := ColumnsOf(kind.Columns(), func(obj runtime.Object) ([]any, error) { return kind.Cells(obj), nil })
		columns.stored = kind.StoredCells()
		return columns
	}
	return NameAndAge
}

// ColumnsOf are columns that somebody declares, with the name before them if they do not.
func ColumnsOf(definitions []metav1.TableColumnDefinition, cells func(runtime.Object) ([]any, error)) *Columns {
	definitions, named := withName(definitions)
	return &Columns{definitions: definitions, named: named, cells: cells}
}

// withName puts the name before the columns, and says so, unless one of them is the name.
func withName(definitions []metav1.TableColumnDefinition) (_ []metav1.TableColumnDefinition, named bool) {
	if slices.ContainsFunc(definitions, func(d metav1.TableColumnDefinition) bool { return d.Name == NameColumn.Name }) {
		return definitions, false
	}
	return append([]metav1.TableColumnDefinition{NameColumn}, definitions...), true
}

// of returns the cells of an object.
func (c *Columns) of(obj runtime.Object) ([]any, error) {
	meta := runtime.Meta(obj)
	if c.cells == nil {
		return []any{meta.Name, meta.CreationTimestamp}, nil
	}
	cells, err := c.cells(obj)
	if c.named {
		cells = append([]any{meta.Name}, cells...)
	}
	return cells, err
}

// fromBytes says whether the cells of stored objects are made of their bytes.
func (c *Columns) fromBytes() bool { return c.cells == nil || c.stored != nil }

// The columns that every kind may have, which are read from the message of the metadata.
var (
	storedName       = inMetadata(transcode.Column{Path: ".name", Type: "string"})
	storedNameAndAge = inMetadata(transcode.Column{Path: ".name", Type: "string"}, transcode.Column{Path: ".creationTimestamp", Type: "date"})
)

func inMetadata(columns ...transcode.Column) *transcode.Cells {
	cells, err := transcode.NewCells(&transcode.ObjectMeta, columns)
	if err != nil {
		panic(err) // ObjectMeta has them
	}
	return cells
}

// appendStored appends the cells of an entry of the stored version, if fromBytes.
func (c *Columns) appendStored(dst, value []byte, date func([]byte, time.Time) []byte) ([]byte, error) {
	if c.named {
		meta, err := wire.ObjectMeta(value)
		if err != nil {
			return nil, err
		}
		first := storedName
		if c.cells == nil {
			first = storedNameAndAge
		}
		if dst, err = first.Append(dst, meta, date); err != nil || c.cells == nil {
			return dst, err
		}
		dst = append(dst, ',')
	}
	message, err := wire.Message(value)
	if err != nil {
		return nil, err
	}
	return c.stored.Append(dst, message, date)
}
