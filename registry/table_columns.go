package registry

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime"
)

// errNoTable is a mistake of the caller: negotiation offers Tables as JSON and YAML only.
var errNoTable = errors.New("a Table is written as JSON or YAML only")

// columns are what a Table shows of the objects of one version.
type columns struct {
	definitions []metav1.TableColumnDefinition // the name is the first
	// cells returns what stands behind the name. nil: the age, for which the metadata is enough.
	cells func(runtime.Object) ([]any, error)
}

var (
	nameColumn = metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name",
		Description: "Name must be unique among the objects of a kind, within a namespace if the kind has them."}
	ageColumn = metav1.TableColumnDefinition{Name: "Age", Type: "date",
		Description: "Age is the time since the object was created."}

	// nameAndAge are the columns of kinds that declare none.
	nameAndAge = &columns{definitions: []metav1.TableColumnDefinition{nameColumn, ageColumn}}
)

// newColumns are those of the strategy, for every version, or those of the version itself.
func newColumns[T runtime.Object](strategy *Strategy[T], kind *runtime.Kind) *columns {
	name := []metav1.TableColumnDefinition{nameColumn}
	switch {
	case strategy.Cells != nil:
		return &columns{
			definitions: append(name, strategy.Columns()...),
			cells: func(obj runtime.Object) ([]any, error) {
				hub, err := toHub[T](kind, obj)
				if err != nil {
					return nil, err
				}
				return strategy.Cells(hub), nil
			},
		}
	case len(kind.Columns()) > 0:
		return &columns{
			definitions: append(name, kind.Columns()...),
			cells:       func(obj runtime.Object) ([]any, error) { return kind.Cells(obj), nil },
		}
	}
	return nameAndAge
}

// of returns the cells of an object, without the name.
func (c *columns) of(obj runtime.Object) ([]any, error) {
	if c.cells == nil {
		return []any{runtime.Meta(obj).CreationTimestamp}, nil
	}
	return c.cells(obj)
}

// checkColumns says what is wrong with the columns of a strategy whose kind is in these versions, "" if nothing is.
func checkColumns[T runtime.Object](strategy *Strategy[T], hub T, kinds []*runtime.Kind) string {
	var definitions []metav1.TableColumnDefinition
	if strategy.Columns != nil {
		definitions = strategy.Columns()
	}
	if problem := runtime.CheckColumns(definitions, strategy.Cells, func() T { return hub }); problem != "" || strategy.Cells == nil {
		return problem
	}
	for _, k := range kinds {
		if len(k.Columns()) > 0 {
			return "its Strategy has Columns and so has version " + k.GroupVersionKind().GroupVersion().String() + ": leave one of them out"
		}
	}
	return ""
}
