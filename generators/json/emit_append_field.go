package json

import (
	"bytes"
	"encoding/json"
	gotypes "go/types"
	"strings"
)

// appendField prints a field with its name and a comma before it; the first comma becomes the brace.
func (p *printer) appendField(f *field) {
	in := p.fieldRef("in", f, len(f.path))
	var conditions []string
	for _, step := range pointersOn(f) {
		conditions = append(conditions, p.fieldRef("in", f, step).value+" != nil")
	}
	filled := false
	if f.omitEmpty {
		if c := p.notEmpty(f, in); c != "" {
			conditions = append(conditions, c)
			filled = f.node.write == asPointer || f.node.write == asMap
		}
	}
	if f.omitZero {
		if c := p.notZero(f, in); len(conditions) == 0 || conditions[len(conditions)-1] != c {
			conditions = append(conditions, c)
			filled = filled || (f.node.write == asPointer || f.node.write == asMap) && !strings.Contains(c, "(")
		}
	}
	if len(conditions) > 0 {
		p.P("if ", strings.Join(conditions, " && "), " {")
	}
	p.named(f, in, filled)
	if len(conditions) > 0 {
		p.P("}")
	}
}

// named prints the statements that append a field that is not left out. The most frequent types have functions for the
// name and the value together.
func (p *printer) named(f *field, in ref, filled bool) {
	name := "`," + quoteHTML(f.name) + ":`"
	n, value := f.node, in
	if n.write == asPointer && filled {
		n, value = n.elem, star(in.value)
	}
	if function := together(n); function != "" && !f.quoted {
		p.P("dst = ", p.json, ".", function, "(dst, ", name, ", ", value.value, ")")
		return
	}
	p.P("dst = ", p.json, ".AppendName(dst, ", name, ")")
	if f.quoted {
		p.appendQuoted(f.node, in, filled)
	} else {
		p.append(f.node, in, filled)
	}
}

// together is the function that appends a name and a value, "" if there is none.
func together(n *node) string {
	switch n.write {
	case asText:
		return "AppendStringField"
	case asBool:
		return "AppendBoolField"
	case asInt:
		if n.typ.Underlying().(*gotypes.Basic).Info()&gotypes.IsUnsigned == 0 {
			return "AppendIntField"
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
		if !filled {
			p.P("if ", in.value, " == nil {")
			p.P("dst = append(dst, `null`...)")
			p.P("} else {")
			defer p.P("}")
		}
		p.appendQuoted(n.elem, star(in.value), false)
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
