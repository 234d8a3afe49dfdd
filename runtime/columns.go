package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/transcode"
)

// CheckColumns returns all problems of a Table's columns and of the function that fills them (see
// Version.Columns), separated by semicolons, or "". It calls cells with an empty object.
func CheckColumns[T Object](columns []metav1.TableColumnDefinition, cells func(T) []any, new func() T) string {
	switch {
	case len(columns) == 0 && cells == nil:
		return ""
	case cells == nil:
		return "it has Columns and nothing to fill them: set Cells too"
	case len(columns) == 0:
		return "it has Cells for no columns: set Columns too"
	}
	return strings.Join(append(checkDefinitions(columns), checkCells(columns, func() []any { return cells(new()) })...), "; ")
}

func checkDefinitions(columns []metav1.TableColumnDefinition) (problems []string) {
	for _, c := range columns {
		switch {
		case c.Name == "" || c.Type == "":
			problems = append(problems, fmt.Sprintf("its column %q of type %q needs both a name and a type", c.Name, c.Type))
		case c.Name == "Name" && c.Format != "name":
			problems = append(problems, "its Columns have a Name, which every table begins with: leave it out, or give it the format name, if it is the name in another place")
		}
	}
	return problems
}

// checkCells checks the cells of an empty object.
func checkCells(columns []metav1.TableColumnDefinition, cells func() []any) (problems []string) {
	defer func() {
		if r := recover(); r != nil {
			problems = []string{fmt.Sprintf("Cells panics for an empty object (%v): it must return the cells of every object", r)}
		}
	}()
	row := cells()
	if len(row) != len(columns) {
		return []string{fmt.Sprintf("Cells returns %d cells for %d columns: return one for each", len(row), len(columns))}
	}
	for i, cell := range row {
		switch cell.(type) {
		case nil, string, bool, int, int32, int64, float64, metav1.Time:
		default:
			problems = append(problems, fmt.Sprintf("Cells returns a %T for column %s: return a string, a bool, an int, int32 or int64, a float64, a metav1.Time or nil", cell, columns[i].Name))
		}
	}
	return problems
}

// AppendCells appends cells as the JSON of a list has them, without brackets. date appends what is
// shown of a metav1.Time.
func AppendCells(dst []byte, cells []any, date func(dst []byte, at time.Time) []byte) ([]byte, error) {
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		if at, ok := cell.(metav1.Time); ok {
			dst = date(dst, at.Time)
			continue
		}
		var err error
		if dst, err = runtimejson.AppendAny(dst, cell); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// storedCells looks up the paths of columns, and checks what they lead to as far as an empty object
// shows it. What the table has no word for is decoded.
func (c *checker) storedCells(k *Kind, bad func(string, ...any)) {
	switch {
	case k.paths == nil || k.new == nil || k.cells == nil:
		return
	case len(k.paths) != len(k.columns):
		bad("it has %d Paths for %d Columns: give one for each", len(k.paths), len(k.columns))
		return
	case k.jsonTable == nil || !k.protobuf:
		return
	}
	var columns []transcode.Column
	for i, path := range k.paths {
		columns = append(columns, transcode.Column{Path: path, Type: k.columns[i].Type})
	}
	stored, err := transcode.NewCells(k.jsonTable, columns)
	if errors.Is(err, transcode.ErrNoWord) {
		return
	}
	if err != nil {
		bad("its Paths can't be read (%v): write them like .spec.name", err)
		return
	}
	empty := k.new()
	message, err := marshal(empty.(Protobuf))
	if err != nil {
		return // reported with the protobuf methods
	}
	date := func(dst []byte, at time.Time) []byte { return strconv.AppendInt(dst, at.Unix(), 10) }
	want, err := AppendCells(nil, k.cells(empty), date)
	if err != nil {
		return // cells that have no JSON
	}
	if got, err := stored.Append(nil, message, date); err == nil && string(got) != string(want) {
		bad("its Paths lead to %s in an empty object, and Cells returns %s: run gen", got, want)
		return
	}
	k.storedCells = stored
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
