package typescript

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/gengo/v2/types"
)

// width is where a line of values ends.
const width = 100

// emit prints a file.
func emit(f *file, header string) []byte {
	e := &printer{names: f.names}
	if header != "" {
		e.p(strings.TrimRight(header, "\n"), "\n")
	}
	e.p(markStart, f.path, markEnd)
	for _, s := range f.sections {
		if len(f.sections) > 1 {
			e.p()
			e.p("// Package ", s.path)
		}
		for _, d := range s.decls {
			e.p()
			e.decl(d)
		}
	}
	return e.out.Bytes()
}

type printer struct {
	out   bytes.Buffer
	names map[*types.Type]string
}

// p prints a line.
func (e *printer) p(parts ...string) {
	e.out.WriteString(strings.Join(parts, ""))
	e.out.WriteByte('\n')
}

func (e *printer) decl(d decl) {
	e.doc(d.doc, "")
	name := d.name
	if d.of != nil {
		name = e.names[d.of]
	}
	if len(d.params) > 0 {
		name += "<" + strings.Join(d.params, ", ") + ">"
	}
	switch {
	case d.object != nil:
		e.p("export interface ", name, e.extends(d.object), " ", e.fields(d.object, ""))
	case d.values != nil:
		e.values(name, d.values)
	default:
		e.p("export type ", name, " = ", e.expr(d.is, ""))
	}
}

func (e *printer) extends(o *object) string {
	if len(o.extends) == 0 {
		return ""
	}
	return " extends " + e.join(o.extends, ", ")
}

func (e *printer) join(list []expr, between string) string {
	var texts []string
	for _, each := range list {
		texts = append(texts, e.expr(each, ""))
	}
	return strings.Join(texts, between)
}

// values prints all values of a type: on a line, or each with its comment.
func (e *printer) values(name string, values []value) {
	line := "export type " + name + " = " + union(values)
	documented := false
	for _, v := range values {
		documented = documented || len(v.doc) > 0
	}
	if !documented && len(line) <= width {
		e.p(line)
		return
	}
	e.p("export type ", name, " =")
	for _, v := range values {
		e.doc(v.doc, "  ")
		e.p("  | ", v.text)
	}
}

func union(values []value) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, v.text)
	}
	return strings.Join(texts, " | ")
}

// fields prints the fields of an object in their braces.
func (e *printer) fields(o *object, indent string) string {
	if len(o.fields) == 0 {
		return "{}"
	}
	inner := &printer{names: e.names}
	inner.p("{")
	for i, f := range o.fields {
		if i > 0 && len(f.doc) > 0 {
			inner.p()
		}
		inner.doc(f.doc, indent+"  ")
		mark := ": "
		if f.optional {
			mark = "?: "
		}
		inner.p(indent, "  ", property(f.name), mark, e.expr(f.is, indent+"  "))
	}
	return inner.out.String() + indent + "}"
}

// expr is a type where it is used.
func (e *printer) expr(x expr, indent string) string {
	text := x.text
	switch {
	case x.ref != nil:
		text = e.names[x.ref]
		if len(x.args) > 0 {
			text += "<" + e.join(x.args, ", ") + ">"
		}
	case x.list != nil:
		text = e.expr(*x.list, indent)
		if strings.Contains(x.list.text, " | ") || x.list.object != nil && len(x.list.object.extends) > 0 {
			text = "(" + text + ")"
		}
		text += "[]"
	case x.values != nil:
		text = "{ [key: string]: " + e.expr(*x.values, indent) + " }"
	case x.object != nil:
		text = strings.TrimSuffix(strings.Join(append(e.all(x.object.extends), e.fields(x.object, indent)), " & "), " & {}")
	}
	if len(x.omit) > 0 {
		var names []string
		for _, name := range x.omit {
			names = append(names, quoted(name))
		}
		text = fmt.Sprintf("Omit<%s, %s>", text, strings.Join(names, " | "))
	}
	if x.partial {
		text = "Partial<" + text + ">"
	}
	if x.null && text != "unknown" {
		text += " | null"
	}
	return text
}

func (e *printer) all(list []expr) (out []string) {
	for _, each := range list {
		out = append(out, e.expr(each, ""))
	}
	return out
}

// doc prints a comment for those who use the types.
func (e *printer) doc(lines []string, indent string) {
	switch len(lines) {
	case 0:
	case 1:
		e.p(indent, "/** ", comment(lines[0]), " */")
	default:
		e.p(indent, "/**")
		for _, line := range lines {
			e.p(strings.TrimRight(indent+" * "+comment(line), " "))
		}
		e.p(indent, " */")
	}
}

// comment is a line of a comment that ends none, in the words of TSDoc.
func comment(line string) string {
	line = strings.ReplaceAll(line, "*/", `*\/`)
	if rest, ok := strings.CutPrefix(line, "Deprecated:"); ok {
		return "@deprecated" + rest
	}
	return line
}

var identifier = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)

// property is the name of a field as an object has it.
func property(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return quoted(name)
}

// quoted is a string of TypeScript.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
