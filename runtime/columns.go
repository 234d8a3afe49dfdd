package runtime

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CheckColumns says what is wrong with the columns of a Table and the function that fills them (see
// Version.Columns), "" if nothing is. It calls cells with an empty object.
func CheckColumns[T Object](columns []metav1.TableColumnDefinition, cells func(T) []any, new func() T) (problem string) {
	switch {
	case len(columns) == 0 && cells == nil:
		return ""
	case cells == nil:
		return "it has Columns and nothing to fill them: set Cells too"
	case len(columns) == 0:
		return "it has Cells for no columns: set Columns too"
	}
	for _, c := range columns {
		switch {
		case c.Name == "" || c.Type == "":
			return fmt.Sprintf("its column %q of type %q needs both a name and a type", c.Name, c.Type)
		case c.Name == "Name" && c.Format != "name":
			return "its Columns have a Name, which every table begins with: leave it out, or give it the format name, if it is the name in another place"
		}
	}
	defer func() {
		if r := recover(); r != nil {
			problem = fmt.Sprintf("Cells panics for an empty object (%v): it must return the cells of every object", r)
		}
	}()
	row := cells(new())
	if len(row) != len(columns) {
		return fmt.Sprintf("Cells returns %d cells for %d columns: return one for each", len(row), len(columns))
	}
	for i, cell := range row {
		switch cell.(type) {
		case nil, string, bool, int64, float64, metav1.Time:
		default:
			return fmt.Sprintf("Cells returns a %T for column %s: return a string, a bool, an int64, a float64, a metav1.Time or nil", cell, columns[i].Name)
		}
	}
	return ""
}

// JSONCell is what a column of type string shows of a list, a map or a struct: its JSON, and
// nothing of one that is not there.
func JSONCell(value any) any {
	data, err := json.Marshal(value)
	if text := string(data); err == nil && text != "null" && text != "{}" {
		return text
	}
	return nil
}
