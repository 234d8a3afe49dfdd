package protobuf

import "github.com/typeplane/typeplane/generators/internal/model"

// methods prints Marshal, MarshalTo, MarshalToSizedBuffer and Unmarshal, and UnmarshalShared_T.
func (p *printer) methods(m *message) {
	pointer := "m"
	if m.items {
		pointer = "&m"
	}
	marshal := p.function("marshal", m)
	p.P("// Marshal returns m as it stands on the wire.")
	p.P("func (", p.receiver(m), ") Marshal() ([]byte, error) {")
	p.write(marshal, pointer, "nil")
	p.P("}")
	p.P()
	p.P("// MarshalTo writes m at the start of data, which must have room for it, and returns how long it is.")
	p.P("func (", p.receiver(m), ") MarshalTo(data []byte) (int, error) {")
	p.P("return m.MarshalToSizedBuffer(data[:m.Size()])")
	p.P("}")
	p.P()
	p.P("// MarshalToSizedBuffer writes m at the end of data, which must have room for it, and returns how long it is.")
	p.P("func (", p.receiver(m), ") MarshalToSizedBuffer(data []byte) (int, error) {")
	p.f("w := %s{Data: data}", p.helper("Writer"))
	p.f("return w.%s(%s(&w, 0, %s))", p.method("Fit"), marshal, pointer)
	p.P("}")
	p.P()
	p.P("// Unmarshal adds what data says to m, which is empty after Reset. It keeps no part of data.")
	p.P("func (m *", m.typ, ") Unmarshal(data []byte) error {")
	p.startReader("", m)
	p.P("}")
	p.P()
	p.unmarshalShared(m.name, m)
}

// write prints what appends a message to dst: it is written twice, if the writer had too little
// room.
func (p *printer) write(marshal, pointer, dst string) {
	p.f("w := %s()", p.helper("NewWriter"))
	p.f("n := %s(&w, 0, %s)", marshal, pointer)
	p.f("if w.%s(n) {", p.method("Again"))
	p.f("n = %s(&w, 0, %s)", marshal, pointer)
	p.P("}")
	p.f("return w.%s(%s, n)", p.method("Finish"), dst)
}

// unmarshalShared prints the function that reads a message without copying its strings.
func (p *printer) unmarshalShared(name string, m *message) {
	p.P("// UnmarshalShared_", name, " is Unmarshal, but strings of m are parts of data: it must not be changed any more, and")
	p.P("// each of them keeps all of it in memory. So are sets of fields (FieldsV1); other byte slices are copied.")
	p.P("func UnmarshalShared_", name, "(data []byte, m *", m.typ, ") error {")
	p.startReader("Shared: true, ", m)
	p.P("}")
	p.P()
	if !m.isKind() {
		return
	}
	p.startRecycler(name, m.typ)
	p.f("return %s(&%s, func() { %s() }, %s)", p.helper("Recycler"), p.typeName(m.typ), p.function("reads", m), p.slabsOf(m))
	p.P("}")
	p.P()
}

// startRecycler prints the head of the function that makes a reader which uses its memory again.
func (p *printer) startRecycler(name string, t any) {
	p.P("// Recycler_", name, " returns a function that reads one message after the other into the same memory, as UnmarshalShared_", name)
	p.P("// does: what it returns is good until it is called again. Only one goroutine at a time may call it.")
	p.P("func Recycler_", name, "() func(data []byte) (*", t, ", error) {")
}

// alias prints the functions of a kind of another module.
func (p *printer) alias(a alias) {
	name := a.name
	if a.access != byFunction {
		p.P("// UnmarshalShared_", name, " adds what data says to m.")
		p.P("func UnmarshalShared_", name, "(data []byte, m *", name, ") error {")
		if a.access == byShared {
			p.f("return %s(data, m)", p.Ident(a.typ.Name.Package, "UnmarshalShared_"+a.typ.Name.Name))
		} else {
			p.P("return m.Unmarshal(data)")
		}
		p.P("}")
		p.P()
		p.P("// AppendProtobuf_", name, " appends m as it stands on the wire.")
		p.P("func AppendProtobuf_", name, "(dst []byte, m *", name, ") ([]byte, error) {")
		p.P("data, err := m.Marshal()")
		p.P("return append(dst, data...), err")
		p.P("}")
		if model.Embeds(a.typ, "ObjectMeta") {
			p.P()
			p.aliasRecycler(a)
		}
		p.P()
		return
	}
	p.unmarshalShared(name, a.target)
	p.P("// AppendProtobuf_", name, " appends m as it stands on the wire.")
	p.P("func AppendProtobuf_", name, "(dst []byte, m *", name, ") ([]byte, error) {")
	p.write(p.function("marshal", a.target), "m", "dst")
	p.P("}")
	p.P()
}

// aliasRecycler prints the recycler of a kind that this file does not know how to read.
func (p *printer) aliasRecycler(a alias) {
	p.startRecycler(a.name, a.name)
	if a.access == byShared {
		p.f("return %s()", p.Ident(a.typ.Name.Package, "Recycler_"+a.typ.Name.Name))
	} else {
		p.P("return func(data []byte) (*", a.name, ", error) {")
		p.P("m := new(", a.name, ")")
		p.P("return m, m.Unmarshal(data)")
		p.P("}")
	}
	p.P("}")
}
