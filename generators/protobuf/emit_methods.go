package protobuf

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
	p.f("w := %s{data: data}", p.helper("writer"))
	p.f("return w.%s(%s(&w, 0, %s))", p.method("fit"), marshal, pointer)
	p.P("}")
	p.P()
	p.P("// Unmarshal adds what data says to m, which is empty after Reset. It keeps no part of data.")
	p.P("func (m *", m.typ, ") Unmarshal(data []byte) error {")
	p.startReader("", m)
	p.P("}")
	p.P()
	p.unmarshalShared(m.name, m)
}

// write prints what appends a message to dst: it is written twice, if the writer had too little room.
func (p *printer) write(marshal, pointer, dst string) {
	p.f("w := %s()", p.helper("start"))
	p.f("n := %s(&w, 0, %s)", marshal, pointer)
	p.f("if w.%s(n) {", p.method("again"))
	p.f("n = %s(&w, 0, %s)", marshal, pointer)
	p.P("}")
	p.f("return w.%s(%s, n)", p.method("finish"), dst)
}

// unmarshalShared prints the function that reads a message without copying its strings.
func (p *printer) unmarshalShared(name string, m *message) {
	p.P("// UnmarshalShared_", name, " is Unmarshal, but strings of m are parts of data: it must not be changed any more, and")
	p.P("// each of them keeps all of it in memory. Byte slices are copied.")
	p.P("func UnmarshalShared_", name, "(data []byte, m *", m.typ, ") error {")
	p.startReader("shared: true, ", m)
	p.P("}")
	p.P()
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
