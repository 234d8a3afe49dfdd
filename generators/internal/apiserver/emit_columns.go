package apiserver

import (
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// columns prints the fields of a runtime.Version that are about tables.
func (p printer) columns(v *version) {
	if len(v.columns) == 0 {
		return
	}
	p.P("Columns: []", emit.Ident{Path: metaV1, Name: "TableColumnDefinition"}, "{")
	for _, c := range v.columns {
		text := fmt.Sprintf("{Name: %q, Type: %q", c.name, c.typ)
		if c.format != "" {
			text += fmt.Sprintf(", Format: %q", c.format)
		}
		text += fmt.Sprintf(", Description: %q", c.description)
		if c.priority != 0 {
			text += fmt.Sprintf(", Priority: %d", c.priority)
		}
		p.P(text, "},")
	}
	p.P("},")
	p.P("Cells: cells_", v.suffix, ",")
	if v.functions.table == nil {
		return
	}
	p.P("Paths: []string{")
	for _, c := range v.columns {
		p.P(quoted(c.path), ",")
	}
	p.P("},")
}

// cells prints the function that fills the columns of one version.
func (p printer) cells(v *version) {
	p.P("// cells_", v.suffix, " returns what the columns of kind ", v.goType.Name.Name, " in ", v.gv, " show of an object.")
	p.P("func cells_", v.suffix, "(in *", v.goType, ") []any {")
	conditional := false
	for _, c := range v.columns {
		conditional = conditional || len(c.cell.blocks) > 0
	}
	if conditional {
		p.P("cells := []any{")
	} else {
		p.P("return []any{")
	}
	for _, c := range v.columns {
		if len(c.cell.blocks) == 0 && c.cell.value != "" {
			p.P(p.cellValue(c.cell), ", // ", c.name)
		} else {
			p.P("nil, // ", c.name)
		}
	}
	p.P("}")
	if conditional {
		for i, c := range v.columns {
			if len(c.cell.blocks) > 0 {
				p.conditionalCell(i, c.cell)
			}
		}
		p.P("return cells")
	}
	p.P("}")
}

// conditionalCell prints the statements that find what is not there in every object.
func (p printer) conditionalCell(i int, c cell) {
	texts, label := fmt.Sprint("texts", i), fmt.Sprint("column", i)
	loops := 0
	for _, b := range c.blocks {
		if b.kind >= blockItems {
			loops++
		}
	}
	if c.many && c.texts {
		p.join(i, c.blocks[0].expr)
		return
	}
	if c.many {
		p.P("var ", texts, " []string")
	} else if loops > 1 {
		p.P(label, ":")
	}
	closing := 0
	for n := 0; n < len(c.blocks); n++ {
		b := c.blocks[n]
		closing++
		switch b.kind {
		case blockIf:
			conditions := []string{b.expr}
			for n+1 < len(c.blocks) && c.blocks[n+1].kind == blockIf {
				n++
				conditions = append(conditions, c.blocks[n].expr)
			}
			p.P("if ", strings.Join(conditions, " && "), " {")
		case blockKey:
			p.P("if ", b.item, ", ok := ", b.expr, "[", b.key, "]; ok {")
		case blockItems:
			p.P("for _, ", b.item, " := range ", b.expr, " {")
		case blockPointers:
			p.P("for i := range ", b.expr, " {")
			p.P(b.item, " := &", b.expr, "[i]")
		case blockValues:
			p.P("for _, key := range ", emit.Ident{Path: "slices", Name: "Sorted"}, "(", emit.Ident{Path: "maps", Name: "Keys"}, "(", b.expr, ")) {")
			p.P(b.item, " := ", b.expr, "[key]")
		}
	}
	switch {
	case c.many:
		p.P(texts, " = append(", texts, ", ", p.cellValue(c), ")")
	default:
		p.P("cells[", i, "] = ", p.cellValue(c))
		if loops == 1 {
			p.P("break")
		} else if loops > 1 {
			p.P("break ", label)
		}
	}
	p.P(strings.Repeat("}\n", closing)[:2*closing-1])
	if c.many {
		p.join(i, texts)
	}
}

// join prints what joins texts to a cell, if there are any.
func (p printer) join(i int, texts string) {
	p.P("if len(", texts, ") > 0 {")
	p.P("cells[", i, "] = ", emit.Ident{Path: "strings", Name: "Join"}, "(", texts, `, ",")`)
	p.P("}")
}

// cellValue is the expression that makes a cell, or a part of one, of what was found.
func (p printer) cellValue(c cell) string {
	object := strings.TrimPrefix(c.value, "*") // for its methods and fields Go follows a pointer itself
	switch c.form() {
	case jsonForm:
		return fmt.Sprintf("%s(%s)", p.Ident(runtimePath, "JSONCell"), c.value)
	case "bool":
		return fmt.Sprintf("%s(%s)", p.Ident("strconv", "FormatBool"), c.cast("bool"))
	case "int":
		return fmt.Sprintf("%s(%s, 10)", p.Ident("strconv", "FormatInt"), c.cast("int64"))
	case "uint":
		return fmt.Sprintf("%s(%s, 10)", p.Ident("strconv", "FormatUint"), c.cast("uint64"))
	case "float":
		return fmt.Sprintf("%s(%s, 'g', -1, 64)", p.Ident("strconv", "FormatFloat"), c.cast("float64"))
	case "Time", "MicroTime":
		layout := p.Ident("time", "RFC3339")
		if c.form() == "MicroTime" {
			layout = p.Ident(metaV1, "RFC3339Micro")
		}
		return fmt.Sprintf("%s.UTC().Format(%s)", object, layout)
	case "Duration":
		return object + ".Duration.String()"
	case "Stringer":
		return object + ".String()"
	case "integer":
		return c.cast("int64")
	case "number":
		return c.cast("float64")
	case "boolean":
		return c.cast("bool")
	case "date":
		return c.value
	case "microdate":
		return fmt.Sprintf("%s{Time: %s.Time}", p.Ident(metaV1, "Time"), object)
	}
	return c.cast("string")
}

// cast is the value as a built-in type.
func (c cell) cast(to string) string {
	if c.leaf.Name.Name == to && c.leaf.Name.Package == "" {
		return c.value
	}
	return to + "(" + c.value + ")"
}
