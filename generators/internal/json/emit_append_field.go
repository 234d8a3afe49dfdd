package json

import (
	"bytes"
	"encoding/json"
	gotypes "go/types"
	"strings"
)

// appendField prints a field with its name and a comma before it; the first comma becomes the
// brace.
func (p *printer) appendField(f *field) {
	defer func() { p.mayHaveFailed = p.mayHaveFailed || f.node.fails() }()
	in := p.fieldRef("in", f, len(f.path))
	var conditions []string
	for _, step := range pointersOn(f) {
		conditions = append(conditions, p.fieldRef("in", f, step).value+" != nil")
	}
	leftOut := ""
	if f.omitEmpty {
		leftOut = p.notEmpty(f, in)
	}
	filled := leftOut != "" && (f.node.write == asPointer || f.node.write == asMap)
	if f.omitZero {
		if c := p.notZero(f, in); leftOut == "" {
			leftOut = c
		} else if c != leftOut {
			conditions, leftOut = append(conditions, leftOut), c
		}
		filled = filled || (f.node.write == asPointer || f.node.write == asMap) && !strings.Contains(leftOut, "(")
	}
	if len(conditions) == 0 && p.inOneLine(f, in, leftOut) {
		return
	}
	if leftOut != "" {
		conditions = append(conditions, leftOut)
	}
	n, value := f.node, in
	if n.write == asPointer && filled {
		n, value = n.elem, star(in.value)
	}
	single := !f.quoted && n.write != asPointer && !n.byLoop() && n.fails()
	if single && p.mayHaveFailed {
		conditions = append(conditions, "err == nil")
	}
	if len(conditions) > 0 {
		p.P("if ", strings.Join(conditions, " && "), " {")
	}
	if single {
		p.P("dst, err = ", p.appended(p.json+".AppendName(dst, "+f.literal()+")", n, value))
	} else {
		p.named(f, in, filled)
	}
	if len(conditions) > 0 {
		p.P("}")
	}
}

// inOneLine prints a field for which the runtime has a function that appends the name and the
// value, and leaves it out where that is to be done. leftOut is the condition under which it is
// written, "" for always. It is false where there is none.
func (p *printer) inOneLine(f *field, in ref, leftOut string) bool {
	n, value := f.node, in.value
	var function, write string
	switch whenNil, whenShort := leftOut == value+" != nil", leftOut == "len("+value+") > 0"; {
	case f.quoted:
	case n.write == asPointer && whenNil && together(n.elem) != "":
		function = "Append" + together(n.elem) + "Pointer"
	case together(n) != "" && leftOut == "":
		function = "Append" + together(n) + "Field"
	case together(n) != "" && !strings.Contains(leftOut, "("):
		function = "AppendOptional" + together(n)
	case n.write == asSlice && n.elem.write == asText && whenShort:
		function = "AppendOptionalStrings"
	case n.write == asSlice && n.elem.write != asText && whenShort:
		function, write = "AppendOptionalSlice", p.appender(n.elem)
	case n.write == asSlice && n.elem.write != asText && leftOut == "":
		function, write = "AppendSliceField", p.appender(n.elem)
	case n.write == asMap && n.writeKeys == stringKeys && n.elem.write == asText && whenShort:
		function = "AppendOptionalStringMap"
	}
	switch {
	case function == "":
		return false
	case write != "":
		p.P("dst, err = ", p.json, ".", function, "(dst, err, ", f.literal(), ", ", value, ", ", write, ")")
	default:
		p.P("dst = ", p.json, ".", function, "(dst, ", f.literal(), ", ", value, ")")
	}
	return true
}

// literal is the name of a field with all that stands around it, in printed code.
func (f *field) literal() string { return literalOf(f.name) }

func literalOf(name string) string { return "`," + quoteHTML(name) + ":`" }

// named prints the statements that append a field that is not left out.
func (p *printer) named(f *field, in ref, filled bool) {
	n, value := f.node, in
	if n.write == asPointer && filled {
		n, value = n.elem, star(in.value)
	}
	if scalar := together(n); scalar != "" && !f.quoted {
		p.P("dst = ", p.json, ".Append", scalar, "Field(dst, ", f.literal(), ", ", value.value, ")")
		return
	}
	p.P("dst = ", p.json, ".AppendName(dst, ", f.literal(), ")")
	if f.quoted {
		p.appendQuoted(f.node, in, filled)
	} else {
		p.append(f.node, in, filled)
	}
}

// together is the middle of the names of the functions that append a name and a scalar at once, ""
// if there are none.
func together(n *node) string {
	switch n.write {
	case asText:
		return "String"
	case asBool:
		return "Bool"
	case asInt:
		if n.typ.Underlying().(*gotypes.Basic).Info()&gotypes.IsUnsigned == 0 {
			return "Int"
		}
	}
	return ""
}

// quoteHTML is a name as it stands in JSON.
func quoteHTML(name string) string {
	var b bytes.Buffer
	json.HTMLEscape(&b, []byte(`"`+name+`"`))
	return b.String()
}

// notEmpty is the condition under which a field with omitempty is written, "" for always.
func (p *printer) notEmpty(f *field, in ref) string {
	switch u := f.variable().Type().Underlying().(type) {
	case *gotypes.Basic:
		return notZeroBasic(u, in)
	case *gotypes.Map, *gotypes.Slice, *gotypes.Array:
		return "len(" + in.value + ") > 0"
	case *gotypes.Pointer, *gotypes.Interface:
		return in.value + " != nil"
	}
	return ""
}

func notZeroBasic(b *gotypes.Basic, in ref) string {
	switch {
	case b.Info()&gotypes.IsString != 0:
		return in.value + ` != ""`
	case b.Info()&gotypes.IsBoolean != 0:
		return in.value
	}
	return in.value + " != 0"
}

// notZero is the condition under which a field with omitzero is written.
func (p *printer) notZero(f *field, in ref) string {
	t := f.variable().Type()
	switch u := t.Underlying().(type) {
	case *gotypes.Pointer, *gotypes.Interface:
		if implements(t, "IsZero") {
			return in.value + " != nil && !" + in.value + ".IsZero()"
		}
		return in.value + " != nil"
	default:
		if addressed(t, "IsZero") {
			return "!" + in.value + ".IsZero()"
		}
		switch u := u.(type) {
		case *gotypes.Basic:
			return notZeroBasic(u, in)
		case *gotypes.Map, *gotypes.Slice:
			return in.value + " != nil"
		}
	}
	if gotypes.Comparable(t) {
		return in.value + " != (" + p.typ(t) + "{})"
	}
	return "!" + p.json + ".IsZero(" + in.pointer + ")"
}

// appendQuoted prints the statements that append a value of a field with the option "string".
func (p *printer) appendQuoted(n *node, in ref, filled bool) {
	if n.write == asPointer {
		p.behind(in, filled, func(in ref) { p.appendQuoted(n.elem, in, false) })
		return
	}
	switch n.write {
	case byJSON, byText:
		p.append(n, in, false)
	case asText:
		p.P("dst = ", p.json, ".AppendQuotedString(dst, ", in.value, ")")
	default:
		p.P("dst = append(dst, '\"')")
		p.append(n, in, false)
		p.P("dst = append(dst, '\"')")
	}
}
