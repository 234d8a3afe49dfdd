package protobuf

import (
	"fmt"
	"strings"
)

// unmarshal prints the function that reads a message.
func (p *printer) unmarshal(m *message) {
	name := p.function("unmarshal", m)
	p.P("// ", name, " adds to m what r has up to its end.")
	p.P("func ", name, "(r *readerGenerated, m *", m.typ, ") {")
	if m.cycle {
		p.f("if r.depth++; r.depth > %s {", p.helper("maxDepth"))
		p.f("r.%s(%s)", p.method("fail"), p.helper("ErrDepth"))
		p.P("}")
	}
	p.P("for r.i < r.end {")
	p.P("r.start, r.tag = r.i, uint64(r.data[r.i])")
	p.P("if r.i++; r.tag >= 0x80 {")
	p.f("r.%s()", p.method("longTag"))
	p.P("}")
	if len(m.fields) > 0 {
		p.P("switch r.tag >> 3 {")
		for _, f := range m.byNumber() {
			p.f("case %d:", f.number)
			p.readField(f)
		}
		p.P("default:")
	}
	p.f("r.%s(%q)", p.method("other"), m.name)
	if len(m.fields) > 0 {
		p.P("}")
	}
	p.P("}")
	if m.cycle {
		p.P("r.depth--")
	}
	if len(m.fields) > 0 {
		p.P("if r.err != nil {")
		p.f("r.%s(%q, %s)", p.method("done"), m.name, m.fieldTable())
		p.P("}")
	}
	p.P("}")
	p.P()
}

// fieldTable lists the fields of a message for the error about one that is written in another way.
func (m *message) fieldTable() string {
	var lines []string
	var line strings.Builder
	for i, f := range m.byNumber() {
		if i > 0 {
			line.WriteByte(',')
			if line.Len() > 90 {
				lines = append(lines, line.String())
				line.Reset()
			}
		}
		fmt.Fprintf(&line, "%s %d", f.labelName(), f.number)
	}
	lines = append(lines, line.String())
	for i := range lines {
		lines[i] = fmt.Sprintf("%q", lines[i])
	}
	return strings.Join(lines, "+\n")
}

// labelName is what errors call a field.
func (f *field) labelName() string {
	if f.goName == "" {
		return "Items"
	}
	return f.goName
}

// texts tells whether a field is a map of strings by strings.
func (f *field) texts() bool {
	return f.shape == dict && f.key.kind == stringKind && f.value.kind == stringKind
}

func (p *printer) readField(f *field) {
	v := f.value
	switch {
	case f.texts():
		p.f("%s(r, %s)", p.helper("textMap"), f.address())
	case f.shape == dict:
		p.readMap(f)
	case v.isMessage():
		p.readMessage(f)
	case f.shape == list && v.kind == bytesKind:
		p.f("var v %s", p.Type(v.typ))
		p.readValue(v, "&v")
		p.f("%s = append(%s, v)", f.target(), f.target())
	case f.shape == list:
		p.f("%s(r, %s)", p.helper(v.reader()+"s"), f.address())
	case v.pointer:
		helper := "newWord"
		if v.kind == stringKind {
			helper = "newText"
		}
		p.f("v := %s[%s](r)", p.helper(helper), p.Type(v.typ))
		p.readValue(v, "v")
		p.f("%s = v", f.target())
	default:
		p.readValue(v, f.address())
	}
}

// target is what a value read is assigned to.
func (f *field) target() string {
	if f.goName == "" {
		return "*m"
	}
	return "m." + f.goName
}

// address points at the field.
func (f *field) address() string {
	if f.goName == "" {
		return "m"
	}
	return "&m." + f.goName
}

// readValue prints what reads a value that is no message into what to points at.
func (p *printer) readValue(v *value, to string) { p.f("%s(r, %s)", p.helper(v.reader()), to) }

// reader is the helper that reads a value.
func (v *value) reader() string {
	switch {
	case v.kind == stringKind:
		return "text"
	case v.kind == bytesKind:
		return "copy"
	case v.kind == boolKind:
		return "bool"
	case v.kind.wire == wireFixed64:
		return "float64"
	case v.kind.wire == wireFixed32:
		return "float32"
	}
	return "number"
}

// readMessage prints what reads a message: into the value that is there, or as a new item.
func (p *printer) readMessage(f *field) {
	v, target, address := f.value, f.target(), f.address()
	p.f("end := r.%s()", p.method("enter"))
	switch {
	case f.shape == list:
		p.f("v := %s", p.grown(f))
		target, address = "v", "v"
		if v.pointer {
			p.f("*v = %s", p.newMessage(v))
			target, address = "(*v)", "*v"
		} else if v.nilable {
			p.f("*v = %s{}", p.Type(v.typ))
		}
	case v.pointer:
		p.f("if %s == nil {", target)
		p.f("%s = %s", target, p.newMessage(v))
		p.P("}")
		address = target
	case v.nilable:
		p.f("if %s == nil {", target)
		p.f("%s = %s{}", target, p.Type(v.typ))
		p.P("}")
	}
	p.readInto(v, target, address)
	p.P("r.end = end")
}

// grown is a pointer to a new item of a list.
func (p *printer) grown(f *field) string {
	v := f.value
	if !v.pointer && p.file.slabs[v.typ] {
		return fmt.Sprintf("%s(r, end, %s, &%s)", p.helper("growFrom"), f.address(), p.slabOf(v.typ))
	}
	return fmt.Sprintf("%s(r, end, %s)", p.helper("grow"), f.address())
}

// newMessage is a pointer to an empty message.
func (p *printer) newMessage(v *value) string {
	if p.file.slabs[v.typ] {
		return fmt.Sprintf("%s.nextOf()", p.slabOf(v.typ))
	}
	return fmt.Sprintf("&%s{}", p.Type(v.typ))
}

// readInto prints what reads the message that was entered; address points at it and target is what has its methods.
func (p *printer) readInto(v *value, target, address string) {
	switch v.access {
	case byFunction:
		p.f("%s(r, %s)", p.function("unmarshal", v.target), address)
	case asTime:
		p.f("%s(r, %s)", p.helper("time"), address)
	case asQuantity:
		p.f("%s(r, %s)", p.helper("quantity"), address)
	case byShared:
		p.P("if r.shared {")
		p.f("r.%s(%s(r.%s(), %s))", p.method("check"), p.Ident(v.typ.Name.Package, "UnmarshalShared_"+v.typ.Name.Name), p.method("rest"), address)
		p.P("} else {")
		p.f("r.%s(%s.Unmarshal(r.%s()))", p.method("check"), target, p.method("rest"))
		p.P("}")
	default:
		p.f("r.%s(%s.Unmarshal(r.%s()))", p.method("check"), target, p.method("rest"))
	}
}

// readMap prints what reads one entry of a map.
func (p *printer) readMap(f *field) {
	v, target := f.value, f.target()
	p.f("stop := r.%s()", p.method("entry"))
	p.f("if %s == nil {", target)
	p.f("%s = make(%s, r.%s(stop))", target, p.Type(f.typ), p.method("entries"))
	p.P("}")
	p.P("var key ", f.key.typ)
	switch {
	case v.pointer:
		p.f("var value *%s", p.Type(v.typ))
	case v.kind == bytesKind || v.nilable:
		p.f("value := %s{}", p.Type(v.typ))
	default:
		p.f("var value %s", p.Type(v.typ))
	}
	p.f("for r.%s(stop) {", p.method("part"))
	p.P("switch r.tag >> 3 {")
	p.P("case 1:")
	p.f("r.tag = %s", p.wireName(f.key.wire))
	p.readValue(f.key, "&key")
	p.P("case 2:")
	p.f("r.tag = %s", p.wireName(v.wire))
	if v.isMessage() {
		address := "&value"
		p.f("end := r.%s()", p.method("enter"))
		if v.pointer {
			address = "value"
			p.f("value = %s", p.newMessage(v))
		} else {
			p.f("value = %s{}", p.Type(v.typ))
		}
		p.readInto(v, "value", address)
		p.P("r.end = end")
	} else {
		p.readValue(v, "&value")
	}
	p.P("default:")
	p.f("r.%s(stop)", p.method("skip"))
	p.P("}")
	p.P("}")
	if f.goName == "" {
		target = "(*m)"
	}
	p.f("%s[key] = value", target)
}
