package protobuf

import "fmt"

// size prints Size.
func (p *printer) size(m *message) {
	p.P("// Size is how many bytes m takes on the wire; nil takes none.")
	p.P("func (", p.receiver(m), ") Size() (n int) {")
	if !m.items {
		p.P("if m == nil {")
		p.P("return 0")
		p.P("}")
	}
	for _, f := range m.byNumber() {
		p.sizeOfField(f)
	}
	p.P("return n")
	p.P("}")
	p.P()
}

func (p *printer) sizeOfField(f *field) {
	switch {
	case f.shape == dict:
		p.sizeOfMap(f)
	case f.shape == list && f.value.constantSize() > 0:
		p.f("n += %d * len(%s)", f.tagSize()+f.value.constantSize(), f.access())
	case f.shape == list:
		p.f("for i := range %s {", f.access())
		p.f("n += %d + %s", f.tagSize(), p.sizeOf(f.value, f.element()))
		p.P("}")
	case f.mayBeNil():
		p.f("if %s != nil {", f.access())
		p.f("n += %s", p.withTag(f.tagSize(), f.value, f.element()))
		p.P("}")
	default:
		p.f("n += %s", p.withTag(f.tagSize(), f.value, f.element()))
	}
}

func (p *printer) sizeOfMap(f *field) {
	nilable := f.value.pointer || f.value.kind == bytesKind
	k, v := p.withTag(1, f.key, "k"), p.withTag(1, f.value, "v")
	switch {
	case f.key.constantSize() > 0 && f.value.constantSize() > 0:
		p.f("for range %s {", f.access())
	case f.value.constantSize() > 0:
		p.f("for k := range %s {", f.access())
	case f.key.constantSize() > 0:
		p.f("for _, v := range %s {", f.access())
	default:
		p.f("for k, v := range %s {", f.access())
	}
	if nilable {
		p.f("entry := %s", k)
		p.P("if v != nil {")
		p.f("entry += %s", v)
		p.P("}")
	} else {
		p.f("entry := %s + %s", k, v)
	}
	p.f("n += %d + %s(entry)", f.tagSize(), p.helper("SizeBytes"))
	p.P("}")
}

// withTag is the size of a value with its tag in front.
func (p *printer) withTag(tag int, v *value, expr string) string {
	if n := v.constantSize(); n > 0 {
		return fmt.Sprint(tag + n)
	}
	return fmt.Sprintf("%d + %s", tag, p.sizeOf(v, expr))
}

// sizeOf is the size of a value with its length, if it has one.
func (p *printer) sizeOf(v *value, expr string) string {
	switch {
	case v.isMessage():
		return fmt.Sprintf("%s(%s.Size())", p.helper("SizeBytes"), expr)
	case v.kind.wire == wireBytes:
		return fmt.Sprintf("%s(len(%s))", p.helper("SizeBytes"), expr)
	}
	return fmt.Sprintf("%s(uint64(%s))", p.helper("SizeVarint"), expr)
}

// constantSize is the size of values that all take the same, 0 for others.
func (v *value) constantSize() int {
	switch {
	case v.kind == boolKind:
		return 1
	case v.kind.wire == wireFixed64:
		return 8
	case v.kind.wire == wireFixed32:
		return 4
	}
	return 0
}
