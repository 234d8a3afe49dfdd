package protobuf

import "fmt"

// marshal prints Marshal, MarshalTo and MarshalToSizedBuffer. The latter writes from the end of the buffer to its
// start, so that the length of a message is known when it is to be written.
func (p *printer) marshal(m *message) {
	p.P("// Marshal returns m as it stands on the wire.")
	p.P("func (", p.receiver(m), ") Marshal() ([]byte, error) {")
	p.P("data := make([]byte, m.Size())")
	p.P("n, err := m.MarshalToSizedBuffer(data)")
	p.P("if err != nil {")
	p.P("return nil, err")
	p.P("}")
	p.P("return data[len(data)-n:], nil")
	p.P("}")
	p.P()
	p.P("// MarshalTo writes m at the start of data, which must have room for it, and returns how long it is.")
	p.P("func (", p.receiver(m), ") MarshalTo(data []byte) (int, error) {")
	p.P("return m.MarshalToSizedBuffer(data[:m.Size()])")
	p.P("}")
	p.P()
	p.P("// MarshalToSizedBuffer writes m at the end of data, which must have room for it, and returns how long it is.")
	p.P("func (", p.receiver(m), ") MarshalToSizedBuffer(data []byte) (n int, err error) {")
	if !m.items {
		p.P("if m == nil {")
		p.P("return 0, nil")
		p.P("}")
	}
	p.P("i := len(data)")
	fields := m.byNumber()
	for n := len(fields) - 1; n >= 0; n-- {
		p.putField(fields[n])
	}
	p.P("return len(data) - i, nil")
	p.P("}")
	p.P()
}

func (p *printer) putField(f *field) {
	switch {
	case f.shape == dict:
		p.putMap(f)
	case f.shape == list:
		p.f("for k := len(%s) - 1; k >= 0; k-- {", f.access())
		p.put(f.value, f.wire(), f.access()+"[k]")
		p.P("}")
	case f.mayBeNil():
		p.f("if %s != nil {", f.access())
		p.put(f.value, f.wire(), f.element())
		p.P("}")
	default:
		p.put(f.value, f.wire(), f.element())
	}
}

// put prints what writes one value with its tag.
func (p *printer) put(v *value, tag, expr string) {
	if v.isMessage() {
		p.f("if n, err = %s.MarshalToSizedBuffer(data[:i]); err != nil {", expr)
		p.P("return 0, err")
		p.P("}")
		p.f("i = %s(data, i-n, %s, n)", p.helper("putLength"), tag)
		return
	}
	name, arg := "putVarint", fmt.Sprintf("uint64(%s)", expr)
	switch {
	case v.kind == stringKind:
		name, arg = "putString", v.convert(expr)
	case v.kind == bytesKind:
		name, arg = "putBytes", expr
	case v.kind == boolKind:
		name, arg = "putBool", v.convert(expr)
	case v.kind.wire == wireFixed64:
		name, arg = "putFloat64", v.convert(expr)
	case v.kind.wire == wireFixed32:
		name, arg = "putFloat32", v.convert(expr)
	case v.goes == "uint64":
		arg = v.convert(expr)
	}
	p.f("i = %s(data, i, %s, %s)", p.helper(name), tag, arg)
}

// putMap prints what writes the entries of a map in the order of their keys.
func (p *printer) putMap(f *field) {
	p.f("if len(%s) > 0 {", f.access())
	p.P("var room [8]", f.key.typ)
	p.f("keys := %s(room[:0], %s)", p.helper("sortedKeys"), f.access())
	p.P("for k := len(keys) - 1; k >= 0; k-- {")
	p.P("end := i")
	p.f("v := %s[keys[k]]", f.access())
	tag := tagText(2, f.value.kind.wire)
	if f.value.pointer || f.value.kind == bytesKind {
		p.P("if v != nil {")
		p.put(f.value, tag, "v")
		p.P("}")
	} else {
		p.put(f.value, tag, "v")
	}
	p.put(f.key, tagText(1, f.key.kind.wire), "keys[k]")
	p.f("i = %s(data, i, %s, end-i)", p.helper("putLength"), f.wire())
	p.P("}")
	p.P("}")
}
