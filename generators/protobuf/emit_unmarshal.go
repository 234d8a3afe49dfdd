package protobuf

import (
	"fmt"
	"strings"
)

// unmarshal prints the function that reads a message.
func (p *printer) unmarshal(m *message) {
	name := p.function("unmarshal", m)
	p.P("// ", name, " adds what data says to m.")
	p.P("func ", name, "(r *readerGenerated, data []byte, m *", m.typ, ") error {")
	if m.cycle {
		p.f("if r.depth++; r.depth > %s {", p.helper("maxDepth"))
		p.P("return ", p.helper("ErrDepth"))
		p.P("}")
	}
	if m.readsBodies() {
		p.P("var body []byte")
	}
	p.P("var err error")
	p.P("for i := 0; i < len(data); {")
	p.P("start, tag := i, uint64(data[i])")
	p.P("if i++; tag >= 0x80 {")
	p.f("tag, i = %s(data, start)", p.helper("longTag"))
	p.P("}")
	if len(m.fields) > 0 {
		p.P("switch tag >> 3 {")
		for _, f := range m.byNumber() {
			p.f("case %d:", f.number)
			p.readField(f)
		}
		p.P("default:")
	}
	p.f("i, err = %s(%q, data, start)", p.helper("other"), m.name)
	if len(m.fields) > 0 {
		p.P("}")
	}
	p.P("if err != nil {")
	p.f("return %s(err, %q, tag, %s)", p.helper("explain"), m.name, m.fieldTable())
	p.P("}")
	p.P("}")
	if m.cycle {
		p.P("r.depth--")
	}
	p.P("return nil")
	p.P("}")
	p.P()
}

// readsBodies tells whether the function needs a variable for the bytes of a message or of an entry.
func (m *message) readsBodies() bool {
	for _, f := range m.fields {
		if f.value.isMessage() || f.shape == dict && !f.texts() {
			return true
		}
	}
	return false
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

// packable tells whether the items of a list may come in one piece; they are never written so.
func (f *field) packable() bool { return f.shape == list && f.value.kind.wire != wireBytes }

// texts tells whether a field is a map of strings by strings.
func (f *field) texts() bool {
	return f.shape == dict && f.key.kind == stringKind && f.value.kind == stringKind && !f.value.pointer
}

func (p *printer) readField(f *field) {
	v := f.value
	switch {
	case f.texts():
		p.f("i, err = %s(r, data, i, tag, %s)", p.helper("textMap"), f.address())
	case f.shape == dict:
		p.readMap(f)
	case v.isMessage():
		p.readMessage(f)
	case f.shape == list && v.kind == stringKind:
		p.needSlab(slab{"strings", "string"})
		p.f("i, err = %s(r, data, i, tag, %s)", p.helper("texts"), f.address())
	case f.shape == list:
		if f.packable() {
			p.f("if tag&7 == %s {", p.wireName(wireBytes))
			p.f("i, err = %s", p.packed(f))
			p.P("break")
			p.P("}")
		}
		p.readValue(v, p.grown(f))
	case v.pointer:
		p.f("v := r.%s.next()", p.slabOf(v))
		p.readValue(v, "v")
		if v.named() {
			p.f("%s = (*%s)(v)", f.target(), p.Type(v.typ))
		} else {
			p.f("%s = v", f.target())
		}
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
func (p *printer) readValue(v *value, to string) {
	switch v.kind {
	case stringKind:
		p.f("i, err = %s(r, data, i, tag, %s)", p.helper("text"), to)
	default:
		p.f("i, err = %s(data, i, tag, %s)", p.helper(v.reader()), to)
	}
}

// reader is the helper that reads a value.
func (v *value) reader() string {
	switch {
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

// packed is the call that reads the items of a list from one piece.
func (p *printer) packed(f *field) string {
	kind := f.value.reader()
	return fmt.Sprintf("%s(data, i, %s)", p.helper("packed"+strings.ToUpper(kind[:1])+kind[1:]+"s"), f.address())
}

// grown is a pointer to a new item of a list.
func (p *printer) grown(f *field) string {
	v := f.value
	if v.isMessage() && !v.pointer && p.file.slabs[v.typ] {
		return fmt.Sprintf("%s(&r.%s, %s, data[i:], tag)", p.helper("growFrom"), p.slabOf(v), f.address())
	}
	return fmt.Sprintf("%s(%s, data[i:], tag)", p.helper("grow"), f.address())
}

// readMessage prints what reads a message: into the value that is there, or as a new item.
func (p *printer) readMessage(f *field) {
	v, target := f.value, f.target()
	p.f("if body, i, err = %s(data, i, tag); err == nil {", p.helper("body"))
	defer p.P("}")
	switch {
	case f.shape == list && v.pointer:
		p.f("v := %s", p.newMessage(v))
		p.f("*%s = v", p.grown(f))
		p.readInto(v, "body", "v", "v")
		return
	case f.shape == list:
		if !v.nilable && (v.access == byFunction || v.access == asQuantity) {
			p.readInto(v, "body", p.grown(f), "")
			return
		}
		p.f("v := %s", p.grown(f))
		if v.nilable {
			p.f("*v = %s{}", p.Type(v.typ))
		}
		p.readInto(v, "body", "v", "v")
		return
	case v.pointer:
		p.f("if %s == nil {", target)
		p.f("%s = %s", target, p.newMessage(v))
		p.P("}")
		p.readInto(v, "body", target, target)
		return
	case v.nilable:
		p.f("if %s == nil {", target)
		p.f("%s = %s{}", target, p.Type(v.typ))
		p.P("}")
	}
	p.readInto(v, "body", f.address(), target)
}

// newMessage is a pointer to an empty message.
func (p *printer) newMessage(v *value) string {
	if p.file.slabs[v.typ] {
		return fmt.Sprintf("r.%s.next()", p.slabOf(v))
	}
	return fmt.Sprintf("&%s{}", p.Type(v.typ))
}

// readInto prints what reads a message from body; address points at it and target is what has its methods.
func (p *printer) readInto(v *value, body, address, target string) {
	switch v.access {
	case byFunction:
		p.f("err = %s(r, %s, %s)", p.function("unmarshal", v.target), body, address)
	case asQuantity:
		p.f("err = %s(r, %s, %s)", p.helper("quantity"), body, address)
	case byShared:
		p.P("if r.shared {")
		p.f("err = %s(%s, %s)", p.Ident(v.typ.Name.Package, "UnmarshalShared_"+v.typ.Name.Name), body, address)
		p.P("} else {")
		p.f("err = %s.Unmarshal(%s)", target, body)
		p.P("}")
	case asTime:
		p.f("err = %s(%s, %s)", p.helper("time"), body, address)
	default:
		p.f("err = %s.Unmarshal(%s)", target, body)
	}
}

// readMap prints what reads one entry of a map.
func (p *printer) readMap(f *field) {
	target, typ := f.target(), p.Type(f.typ)
	valueType := p.Type(f.value.typ)
	p.f("if body, i, err = %s(data, i, tag); err != nil {", p.helper("body"))
	p.P("break")
	p.P("}")
	p.f("if %s == nil {", target)
	p.f("%s = make(%s, %s(data[i:], tag))", target, typ, p.helper("entries"))
	p.P("}")
	p.P("var key ", f.key.typ)
	switch {
	case f.value.pointer:
		p.f("var value *%s", valueType)
	case f.value.kind == bytesKind || f.value.nilable:
		p.f("value := %s{}", valueType)
	default:
		p.f("var value %s", valueType)
	}
	number, text := "_", "_"
	for _, v := range []*value{f.key, f.value} {
		if v.kind.wire == wireBytes {
			text = "text"
		} else {
			number = "number"
		}
	}
	p.P("for at := 0; at < len(body); {")
	p.f("part, %s, %s, next, err := %s(body, at, len(body), %s, %s)", number, text, p.helper("entry"), p.wireName(f.key.kind.wire), p.wireName(f.value.kind.wire))
	p.P("if err != nil {")
	p.P("return err")
	p.P("}")
	p.P("switch part {")
	p.P("case 1:")
	p.P("key = ", p.read(f.key, "number", "text"))
	p.P("case 2:")
	if f.value.isMessage() {
		address := "&value"
		empty := valueType + "{}"
		if f.value.pointer {
			address, empty = "value", p.newMessage(f.value)
		}
		p.P("value = ", empty)
		p.readInto(f.value, "text", address, "value")
		p.P("if err != nil {")
		p.P("return err")
		p.P("}")
	} else {
		p.P("value = ", p.read(f.value, "number", "text"))
	}
	p.P("}")
	p.P("at = next")
	p.P("}")
	if f.goName == "" {
		target = "(*m)"
	}
	p.f("%s[key] = value", target)
}

// read is the Go value of what the helper for entries has read.
func (p *printer) read(v *value, number, body string) string {
	switch {
	case v.kind == bytesKind:
		return fmt.Sprintf("append(%s{}, %s...)", p.Type(v.typ), body)
	case v.kind == stringKind:
		return p.convert(v, fmt.Sprintf("%s(r, %s)", p.helper("string"), body))
	case v.kind == boolKind:
		return p.convert(v, number+" != 0")
	case v.kind.wire == wireFixed64:
		return p.convert(v, p.Ident("math", "Float64frombits")+"("+number+")")
	case v.kind.wire == wireFixed32:
		return p.convert(v, p.Ident("math", "Float32frombits")+"(uint32("+number+"))")
	case v.goes == "uint64":
		return p.convert(v, number)
	}
	return fmt.Sprintf("%s(%s)", p.Type(v.typ), number)
}

// convert writes expr, which is of one of Go's own types, as the type of a value.
func (p *printer) convert(v *value, expr string) string {
	if v.named() {
		return p.Type(v.typ) + "(" + expr + ")"
	}
	return expr
}
