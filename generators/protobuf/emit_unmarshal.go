package protobuf

import "fmt"

// unmarshal prints Unmarshal.
func (p *printer) unmarshal(m *message) {
	p.P("// Unmarshal adds what data says to m, which is empty after Reset. It keeps no part of data.")
	p.P("func (m *", m.typ, ") Unmarshal(data []byte) error {")
	if m.cycle != nil {
		p.P("return m.unmarshalGenerated(data, 0)")
		p.P("}")
		p.P()
		p.P("// unmarshalGenerated is Unmarshal of a message that stands in depth others, which may hold one another.")
		p.P("func (m *", m.typ, ") unmarshalGenerated(data []byte, depth int) error {")
		p.f("if depth > %s {", p.helper("maxDepth"))
		p.P("return ", p.helper("ErrDepth"))
		p.P("}")
	}
	p.P("for i := 0; i < len(data); {")
	p.f("%s, next, err := %s(%q, data, i)", results(m), p.helper("field"), m.name)
	p.P("if err != nil {")
	p.P("return err")
	p.P("}")
	if len(m.fields) > 0 {
		p.P("switch field {")
		for _, f := range m.byNumber() {
			p.f("case %d:", f.number)
			p.readField(m, f)
		}
		p.P("}")
	}
	p.P("i = next")
	p.P("}")
	p.P("return nil")
	p.P("}")
	p.P()
}

// results names those results of the helper that the fields of a message need.
func results(m *message) string {
	field, wire, number, body := "_", "_", "_", "_"
	for _, f := range m.fields {
		field, wire = "field", "wire"
		if f.value.wireOf(f.shape) == wireBytes {
			body = "body"
		} else {
			number = "number"
		}
		if f.packable() {
			body = "body"
		}
	}
	return field + ", " + wire + ", " + number + ", " + body
}

// packable tells whether the items of a list may come in one piece; they are never written so.
func (f *field) packable() bool { return f.shape == list && f.value.kind.wire != wireBytes }

func (p *printer) readField(m *message, f *field) {
	if f.packable() {
		p.readPackable(f)
		return
	}
	p.f("if wire != %s {", p.wireName(f.value.wireOf(f.shape)))
	p.P("return ", p.wrongWire(f))
	p.P("}")
	switch {
	case f.shape == dict:
		p.readMap(m, f)
	case f.value.isMessage():
		p.readMessage(m, f)
	case f.shape == list:
		target := f.target()
		p.f("%s = append(%s(%s, data[next:], %s), %s)", target, p.helper("grow"), target, f.wire(), p.read(f.value, "number", "body"))
	case f.value.pointer:
		p.f("v := %s", p.read(f.value, "number", "body"))
		p.f("m.%s = &v", f.goName)
	default:
		p.f("m.%s = %s", f.goName, p.read(f.value, "number", "body"))
	}
}

// wrongWire is the error for a field that is not written as its type asks for.
func (p *printer) wrongWire(f *field) string {
	name := f.goName
	if name == "" {
		name = "Items"
	}
	return fmt.Sprintf("%s(wire, %q)", p.helper("wireError"), name)
}

// target is what a value read is assigned to.
func (f *field) target() string {
	if f.goName == "" {
		return "*m"
	}
	return "m." + f.goName
}

// read is the Go value of what the helper has read.
func (p *printer) read(v *value, number, body string) string {
	switch {
	case v.kind == bytesKind:
		return fmt.Sprintf("append(%s{}, %s...)", p.Type(v.typ), body)
	case v.kind == stringKind:
		return fmt.Sprintf("%s(%s)", p.Type(v.typ), body)
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

// readMessage prints what reads a message: into the value that is there, or as a new item.
func (p *printer) readMessage(m *message, f *field) {
	target := f.target()
	switch {
	case f.shape == list:
		empty := p.Type(f.value.typ) + "{}"
		if f.value.pointer {
			empty = "&" + empty
		}
		p.f("%s = append(%s(%s, data[next:], %s), %s)", target, p.helper("grow"), target, f.wire(), empty)
		if f.goName == "" {
			target = "(*m)"
		}
		target = fmt.Sprintf("%s[len(%s)-1]", target, f.target())
	case f.value.pointer:
		p.f("if %s == nil {", target)
		p.f("%s = &%s{}", target, p.Type(f.value.typ))
		p.P("}")
	case f.value.nilable:
		p.f("if %s == nil {", target)
		p.f("%s = %s{}", target, p.Type(f.value.typ))
		p.P("}")
	}
	p.f("if err := %s; err != nil {", m.unmarshal(f.value, target, "body"))
	p.P("return err")
	p.P("}")
}

// unmarshal is the call that reads a message within m.
func (m *message) unmarshal(v *value, target, body string) string {
	if m.cycle[v.typ] {
		return fmt.Sprintf("%s.unmarshalGenerated(%s, depth+1)", target, body)
	}
	return fmt.Sprintf("%s.Unmarshal(%s)", target, body)
}

// readPackable prints what reads items one by one or in one piece.
func (p *printer) readPackable(f *field) {
	target, wire := f.target(), f.value.kind.wire
	p.P("switch wire {")
	p.f("case %s:", p.wireName(wire))
	p.f("%s = append(%s, %s)", target, target, p.read(f.value, "number", ""))
	p.f("case %s: // packed", p.wireName(wireBytes))
	p.P("end := next")
	p.P("for next -= len(body); next < end; {")
	p.f("if number, next, err = %s(data, next, %s); err != nil {", p.helper("readNumber"), p.wireName(wire))
	p.P("return err")
	p.P("}")
	p.f("%s = append(%s, %s)", target, target, p.read(f.value, "number", ""))
	p.P("}")
	p.P("default:")
	p.P("return ", p.wrongWire(f))
	p.P("}")
}

// readMap prints what reads one entry of a map.
func (p *printer) readMap(m *message, f *field) {
	target, typ := f.target(), p.Type(f.typ)
	valueType := p.Type(f.value.typ)
	p.f("if %s == nil {", target)
	p.f("%s = make(%s, 1+%s(data[next:], %s))", target, typ, p.helper("following"), f.wire())
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
	p.P("for at := next - len(body); at < next; {")
	p.f("part, %s, %s, after, err := %s(data, at, next, %s, %s)", number, text, p.helper("entry"), p.wireName(f.key.kind.wire), p.wireName(f.value.kind.wire))
	p.P("if err != nil {")
	p.P("return err")
	p.P("}")
	p.P("switch part {")
	p.P("case 1:")
	p.P("key = ", p.read(f.key, "number", "text"))
	p.P("case 2:")
	if f.value.isMessage() {
		empty := valueType + "{}"
		if f.value.pointer {
			empty = "&" + empty
		}
		p.P("value = ", empty)
		p.f("if err := %s; err != nil {", m.unmarshal(f.value, "value", "text"))
		p.P("return err")
		p.P("}")
	} else {
		p.P("value = ", p.read(f.value, "number", "text"))
	}
	p.P("}")
	p.P("at = after")
	p.P("}")
	if f.goName == "" {
		target = "(*m)"
	}
	p.f("%s[key] = value", target)
}
