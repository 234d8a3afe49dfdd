package protobuf

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"
)

// unmarshal prints what says how a message is read: a variable, and a function that fills it.
func (p *printer) unmarshal(m *message) {
	var known []string
	if m.isKind() {
		known = append(known, "Object: true")
	}
	if m.cycle {
		known = append(known, "Cycle: true")
	}
	p.readType(m.typ, known...)
	name, t := p.function("reads", m), p.typeName(m.typ)
	p.P("// ", name, " says where the fields of ", m.name, " are and how each is read.")
	p.P("func ", name, "() *", p.helper("Type"), "[", m.typ, "] {")
	if len(m.fields) == 0 {
		p.f("%s(&%s)", p.helper("Begin"), t)
	} else {
		p.f("if m := %s(&%s); m != nil {", p.helper("Begin"), t)
		p.f("t := &%s.Layout", t)
		for _, f := range m.byNumber() {
			p.readField(f)
		}
		p.P("}")
	}
	p.P("return &", t)
	p.P("}")
	p.P()
}

// readType prints the variable that says how values of a type are read.
func (p *printer) readType(t *types.Type, known ...string) {
	name := p.typeName(t)
	if i := p.file.slabIndex(t); i >= 0 {
		known = append(known, "Slab: "+p.slab(i))
	}
	p.P("// ", name, " is how ", t, " is read.")
	if len(known) == 0 {
		p.P("var ", name, " ", p.helper("Type"), "[", t, "]")
	} else {
		p.P("var ", name, " = ", p.helper("Type"), "[", t, "]{Layout: ", p.helper("Layout"), "{", strings.Join(known, ", "), "}}")
	}
	p.P()
}

func (p *printer) typeName(t *types.Type) string {
	return "type_" + strings.ReplaceAll(p.Type(t), ".", "_")
}

// texts tells whether a field is a map of strings by strings.
func (f *field) texts() bool {
	return f.shape == dict && f.key.kind == stringKind && f.value.kind == stringKind
}

// readField prints the line that shows a field.
func (p *printer) readField(f *field) {
	v := f.value
	switch {
	case f.shape == dict:
		p.readMap(f)
	case v.isMessage() && f.shape == list && v.pointer:
		p.show("Pointers", f, p.reading(v))
	case v.isMessage() && f.shape == list:
		p.show("Items", f, p.reading(v))
	case v.isMessage() && v.pointer:
		p.show("Pointer", f, p.reading(v))
	case v.isMessage():
		p.show("Message", f, p.reading(v))
	case v.kind == bytesKind && f.shape == list:
		p.show("Items", f, fmt.Sprintf("%s(new(%s[%s]), %s)", p.helper("With"), p.helper("Type"), p.Type(v.typ), p.helper("CopyBytes")))
	case f.shape == list:
		p.show(v.reader()+"s", f)
	case v.pointer:
		p.show(v.reader()+"Pointer", f)
	default:
		p.show(v.reader(), f)
	}
}

// show prints the call of a helper that shows a field.
func (p *printer) show(helper string, f *field, more ...string) {
	args := append([]string{"t", fmt.Sprint(f.number), f.address()}, more...)
	p.f("%s(%s)", p.helper(helper), strings.Join(args, ", "))
}

// address points at the field.
func (f *field) address() string {
	if f.goName == "" {
		return "m"
	}
	return "&m." + f.goName
}

// reader is the helper for a value.
func (v *value) reader() string {
	switch {
	case v.kind == stringKind:
		return "Text"
	case v.kind == bytesKind:
		return "Bytes"
	case v.kind == boolKind:
		return "Bool"
	case v.kind.wire == wireFixed64:
		return "Float64"
	case v.kind.wire == wireFixed32:
		return "Float32"
	}
	return "Number"
}

// reading is how a message is read.
func (p *printer) reading(v *value) string {
	if !p.file.inline && (v.access == byRuntime || v.access == asTime || v.access == asFieldSet) {
		return p.Ident(apimachineryPackage, v.typ.Name.Name) + "()"
	}
	name := p.typeName(v.typ)
	if v.access != byFunction && !p.types[v.typ] {
		p.types[v.typ] = true
		p.others = append(p.others, v.typ)
	}
	var how string
	switch v.access {
	case byFunction:
		how = p.function("reads", v.target) + "()"
	case asTime:
		how = fmt.Sprintf("%s(&%s)", p.helper("Time"), name)
	case asQuantity:
		how = fmt.Sprintf("%s(&%s, %s)", p.helper("With"), name, p.helper("Quantity"))
	case asFieldSet:
		how = fmt.Sprintf("%s(&%s, %s)", p.helper("With"), name, p.helper("FieldSet"))
	case byShared:
		how = fmt.Sprintf("%s(&%s, %s(%s))", p.helper("With"), name, p.helper("Either"), p.Ident(v.typ.Name.Package, "UnmarshalShared_"+v.typ.Name.Name))
	default:
		how = fmt.Sprintf("%s(&%s, %s)", p.helper("With"), name, p.helper("Methods"))
	}
	if v.nilable {
		return fmt.Sprintf("%s(%s, func() %s { return %s{} })", p.helper("OrEmpty"), how, p.Type(v.typ), p.Type(v.typ))
	}
	return how
}

// readMap prints the line that shows a map.
func (p *printer) readMap(f *field) {
	v := f.value
	switch named := f.key.kind == stringKind; {
	case named && v.kind == stringKind:
		p.show("TextMap", f)
	case named && v.kind == bytesKind:
		p.show("BytesMap", f)
	case named && v.isMessage() && v.access == asQuantity && !v.pointer:
		p.show("QuantityMap", f)
	default:
		p.show("Map", f, p.item(f.key), p.item(v))
	}
}

// item is how a key or a value of a map is read.
func (p *printer) item(v *value) string {
	switch {
	case v.isMessage() && v.pointer:
		return fmt.Sprintf("%s(%s)", p.helper("PointerItem"), p.reading(v))
	case v.isMessage():
		return fmt.Sprintf("%s(%s)", p.helper("MessageItem"), p.reading(v))
	}
	return fmt.Sprintf("%s[%s]()", p.helper(v.reader()+"Item"), p.Type(v.typ))
}
