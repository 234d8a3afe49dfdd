package protobuf

import (
	"fmt"
	"slices"
)

// marshal prints the function that writes a message, from its last field to its first, so that the
// length of each part is known when it is to be written.
func (p *printer) marshal(m *message) {
	name := p.function("marshal", m)
	p.P("// ", name, " writes m before the n bytes that w has, and returns how many it has then.")
	p.P("func ", name, "(w *", p.helper("Writer"), ", n int, m *", m.typ, ") int {")
	if p.mayBeNil(m) {
		p.P("if m == nil {")
		p.P("return n")
		p.P("}")
	}
	fields := m.byNumber()
	for n := len(fields) - 1; n >= 0; n-- {
		p.putField(fields[n])
	}
	p.P("return n")
	p.P("}")
	p.P()
}

// mayBeNil tells whether the function that writes a message may get none: from its methods, from
// the function of a kind of another module, and from a list of pointers.
func (p *printer) mayBeNil(m *message) bool {
	if !m.foreign || slices.ContainsFunc(p.file.aliases, func(a alias) bool { return a.target == m }) {
		return !m.items
	}
	return slices.ContainsFunc(p.file.codecs(), func(in *message) bool {
		return slices.ContainsFunc(in.fields, func(f *field) bool { return f.shape == list && f.value.pointer && f.value.target == m })
	})
}

func (p *printer) putField(f *field) {
	access := f.access()
	if f.goName == "" {
		access = "*m"
	}
	switch {
	case f.texts():
		p.f("n = %s(w, n, %s, %s)", p.helper("PutTextMap"), f.wire(), access)
	case f.shape == dict:
		p.putMap(f, access)
	case f.shape == list && f.value.kind == stringKind:
		p.f("n = %s(w, n, %s, %s)", p.helper("PutTexts"), f.wire(), access)
	case f.shape == list:
		p.f("for k := len(%s) - 1; k >= 0; k-- {", access)
		if f.goName == "" {
			access = "(*m)"
		}
		p.put(f.value, f.wire(), access+"[k]", f.value.pointer)
		p.P("}")
	case f.value.pointer && slices.Contains([]string{"Text", "Number", "Bool"}, f.value.reader()) && !f.value.isMessage():
		p.f("n = %s(w, n, %s, %s)", p.helper("Put"+f.value.reader()+"Pointer"), f.wire(), access)
	case f.mayBeNil():
		p.f("if %s != nil {", access)
		p.put(f.value, f.wire(), f.element(), f.value.pointer)
		p.P("}")
	default:
		p.put(f.value, f.wire(), f.element(), false)
	}
}

// put prints what writes one value with its tag; pointer tells whether expr is one to a message.
func (p *printer) put(v *value, tag, expr string, pointer bool) {
	if v.isMessage() {
		p.putMessage(v, tag, expr, pointer)
		return
	}
	name, arg := "PutNumber", fmt.Sprintf("uint64(%s)", expr)
	switch {
	case v.kind == stringKind:
		name, arg = "PutString", v.convert(expr)
	case v.kind == bytesKind:
		name, arg = "PutBytes", expr
	case v.kind == boolKind:
		name, arg = "PutBool", v.convert(expr)
	case v.kind.wire == wireFixed64:
		name, arg = "PutFloat64", v.convert(expr)
	case v.kind.wire == wireFixed32:
		name, arg = "PutFloat32", v.convert(expr)
	case v.goes == "uint64":
		arg = v.convert(expr)
	}
	p.f("n = w.%s(n, %s, %s)", p.method(name), tag, arg)
}

// putMessage prints what writes a message with its tag.
func (p *printer) putMessage(v *value, tag, expr string, pointer bool) {
	address := "&" + expr
	if pointer {
		address = expr
	}
	switch v.access {
	case asTime:
		p.f("n = w.%s(n, %s, %s)", p.method("PutTime"), tag, address)
	case asQuantity:
		value := expr
		if pointer {
			value = "*" + expr
		}
		p.f("n = w.%s(n, %s, %s)", p.method("PutQuantity"), tag, value)
	case byRuntime:
		p.putNested(p.Ident(apimachineryPackage, "Put"+v.typ.Name.Name), tag, address)
	case byFunction:
		p.putNested(p.function("marshal", v.target), tag, address)
	default:
		p.f("n = w.%s(n, %s, %s.Size(), %s.MarshalToSizedBuffer)", p.method("PutOther"), tag, expr, expr)
	}
}

// putNested prints what writes a message with its tag by a function.
func (p *printer) putNested(function, tag, address string) {
	p.f("n = w.%s(%s(w, n, %s), %s, n)", p.method("Close"), function, address, tag)
}

// putMap prints what writes the entries of a map in the order of their keys.
func (p *printer) putMap(f *field, access string) {
	index := access
	if f.goName == "" {
		index = "(*m)"
	}
	p.f("if len(%s) > 0 {", access)
	p.P("var room [8]", f.key.typ)
	p.f("keys := %s(room[:0], %s)", p.helper("SortedKeys"), access)
	p.P("for k := len(keys) - 1; k >= 0; k-- {")
	p.P("entry := n")
	p.f("v := %s[keys[k]]", index)
	tag := tagText(2, f.value.kind.wire)
	if f.value.pointer || f.value.kind == bytesKind {
		p.P("if v != nil {")
		p.put(f.value, tag, "v", f.value.pointer)
		p.P("}")
	} else {
		p.put(f.value, tag, "v", false)
	}
	p.put(f.key, tagText(1, f.key.kind.wire), "keys[k]", false)
	p.f("n = w.%s(n, %s, entry)", p.method("Close"), f.wire())
	p.P("}")
	p.P("}")
}
