package apiserver

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/runtime/jsonpath"
)

// The words that a marker may say, and those that a column may have as type and as format.
var (
	columnKeys    = []string{"name", "type", "JSONPath", "description", "format", "priority"}
	columnTypes   = []string{"string", "integer", "number", "boolean", "date"}
	columnFormats = []string{"int32", "int64", "float", "double", "byte", "date", "date-time", "password"}
)

// nameColumn is the column that every table begins with.
const nameColumn = "Name"

// columns reads the print columns of a kind and compiles their paths. What leads nowhere is an
// empty column, as in the table of a CustomResourceDefinition.
func (p *planner) columns(v *version) []column {
	var out []column
	for _, mk := range v.markers.Named(tagPrintColumn) {
		bad := func(message, cure string) { p.problem(mk.Pos, v.goType.Name.Name, mk.Text+": "+message, cure) }
		warn := func(message, cure string) {
			p.report.Warn(problemAt(mk.Pos, v.goType.Name.Name, mk.Text+": "+message, cure))
		}
		arguments, err := mk.Arguments(tagPrintColumn)
		if err != nil {
			p.problem(mk.Pos, v.goType.Name.Name, err.Error(), "write it like +"+tagPrintColumn+":name=Age,type=date,JSONPath=.metadata.creationTimestamp")
			continue
		}
		c, path, message, cure := readColumn(arguments)
		steps, err := jsonpath.Parse(path)
		if message == "" && err != nil {
			message, cure = fmt.Sprintf("the path %s can't be read: %v", path, err), `write JSON names like .spec.name or .status.conditions[?(@.type=="Ready")].status`
		}
		if message != "" {
			bad(message, cure)
			continue
		}
		if c.name == nameColumn {
			warn("the name is always the first column", "remove the tag")
			continue
		}
		if c.cell, message, cure = compileCell(v.goType, steps, c.typ); message != "" {
			warn("the column stays empty: "+message, cure)
		} else {
			c.path = path
		}
		out = append(out, c)
	}
	return out
}

// readColumn reads a marker, or says what is wrong with it.
func readColumn(marker []tag.Argument) (c column, path, message, cure string) {
	for _, a := range marker {
		switch a.Key {
		case "name":
			c.name = a.Value
		case "type":
			c.typ = a.Value
		case "JSONPath":
			path = a.Value
		case "description":
			c.description = a.Value
		case "format":
			c.format = a.Value
		case "priority":
			priority, err := strconv.ParseInt(a.Value, 10, 32)
			if err != nil {
				return c, "", fmt.Sprintf("the priority %q is no integer", a.Value), "write priority=1 for a column of kubectl get -o wide"
			}
			c.priority = int32(priority)
		default:
			return c, "", "a column has no " + a.Key, wordsOf(a.Key, columnKeys)
		}
	}
	switch {
	case c.name == "" || c.typ == "" || path == "":
		return c, "", "a column needs name=, type= and JSONPath=", "write it like +" + tagPrintColumn + ":name=Age,type=date,JSONPath=.metadata.creationTimestamp"
	case !slices.Contains(columnTypes, c.typ):
		return c, "", "there is no type " + c.typ, wordsOf(c.typ, columnTypes)
	case c.format != "" && !slices.Contains(columnFormats, c.format):
		return c, "", "there is no format " + c.format, wordsOf(c.format, columnFormats)
	}
	if c.description == "" {
		c.description = "Shows " + path + "."
	}
	return c, path, "", ""
}

func wordsOf(word string, known []string) string {
	if near := tag.Nearest(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "choose one of " + strings.Join(known, ", ")
}

// checkColumns reports a strategy with half of what a table needs, or with columns beside those of
// the types.
func (p *planner) checkColumns(s *strategy, h *hub) {
	columns, cells := s.has("Columns"), s.has("Cells")
	method := func(name string) (token.Position, string) {
		return p.model.FuncPos(s.goType.Methods[name]), s.goType.Name.Name + "." + name
	}
	switch {
	case columns && !cells:
		pos, path := method("Columns")
		p.problem(pos, path, "there is no method Cells to fill them", "write one that returns a cell for each column")
	case cells && !columns:
		pos, path := method("Cells")
		p.problem(pos, path, "there is no method Columns that says what they are", "write one that returns a definition for each cell")
	case columns:
		for _, v := range h.versions {
			if len(v.columns) > 0 {
				pos, path := method("Columns")
				p.problem(pos, path, fmt.Sprintf("%s in %s has +%s too", v.goType.Name.Name, v.gv, tagPrintColumn), "leave out one of them")
			}
		}
	}
}
