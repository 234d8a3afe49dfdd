package applyconfiguration

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// embedded is a field without a name whose fields are set through the struct around it.
type embedded struct {
	// name is that of the type, by which Go selects it.
	name string
	// pointer tells that it is there only if one of its fields is.
	pointer bool
}

// path is what stands between the variable and a field of the embedded struct.
func (e *embedded) path() string {
	if e == nil {
		return "b."
	}
	return "b." + e.name + "."
}

// ensure prints the call that makes sure it is there.
func (e *embedded) ensure(f *emit.File) {
	if e != nil && e.pointer {
		f.P("b.ensure", e.name, "Exists()")
	}
}

// embed is the embedded struct of a field.
func (p printer) embed(m types.Member) *embedded {
	t := model.Pointee(m.Type)
	name := t.Name.Name
	if ref, ok := p.ref(t); ok {
		name = ref.Name
	}
	return &embedded{name: name, pointer: !inline(m)}
}

// setters prints the functions that set fields.
type setters struct {
	printer
	f *emit.File
	config
	done map[string]bool // by the names of fields
}

// all prints those of the fields of a struct, which may be embedded.
func (s setters) all(t *types.Type, in *embedded) {
	for _, m := range t.Members {
		if left(t, m) || s.done[m.Name] {
			continue
		}
		s.done[m.Name] = true
		slice := model.Pointee(m.Type)
		switch {
		case m.Embedded:
			inner := s.embed(m)
			s.all(model.Pointee(m.Type), inner)
			s.ensureEmbedded(inner, m)
		case slice.Kind == types.Slice && s.isConfig(slice.Elem) && slice.Elem.Kind != types.Pointer:
			s.items(m, in, true)
		case m.Type.Kind == types.Slice:
			s.items(m, in, false)
		case m.Type.Kind == types.Map:
			s.entries(m, in)
		default:
			s.value(m, in)
		}
	}
}

// begin prints the head of a function that sets a field, with what the comment says of it.
func (s setters) begin(m types.Member, in *embedded, param, does string) {
	s.f.P("// With", m.Name, " ", does, ", and returns the receiver.")
	s.f.P("func (b *", s.name(), ") With", m.Name, "(", param, ") *", s.name(), " {")
	in.ensure(s.f)
}

func (s setters) end() {
	s.f.P("return b")
	s.f.P("}")
	s.f.P()
}

// value prints the function for a field that is one value.
func (s setters) value(m types.Member, in *embedded) {
	param, address := "value "+s.typeOf(s.f, m.Type), "&"
	if s.isConfig(m.Type) {
		param, address = "value *"+s.typeOf(s.f, m.Type), ""
	}
	s.begin(m, in, param, "sets "+m.Name)
	s.f.P(in.path(), m.Name, " = ", address, "value")
	s.end()
}

// items prints the function for a list, which adds to it.
func (s setters) items(m types.Member, in *embedded, configs bool) {
	slice := model.Pointee(m.Type)
	param, value, deref := "values ..."+s.typeOf(s.f, slice.Elem), "values[i]", ""
	switch {
	case configs:
		param, value = "values ...*"+s.typeOf(s.f, slice.Elem), "*values[i]"
	case slice.Elem.Kind == types.Pointer:
		param = "values ..." + s.f.Type(slice.Elem)
	}
	s.begin(m, in, param, "adds values to "+m.Name)
	if m.Type.Kind == types.Pointer {
		deref = "*"
		s.f.P("if ", in.path(), m.Name, " == nil {")
		s.f.P(in.path(), m.Name, " = &", s.typeOf(s.f, m.Type), "{}")
		s.f.P("}")
	}
	s.f.P("for i := range values {")
	if configs || slice.Elem.Kind == types.Pointer {
		s.f.P("if values[i] == nil {")
		s.f.P("panic(\"nil value passed to With", m.Name, "\")")
		s.f.P("}")
	}
	s.f.P(deref, in.path(), m.Name, " = append(", deref, in.path(), m.Name, ", ", value, ")")
	s.f.P("}")
	s.end()
}

// entries prints the function for a map, which adds to it.
func (s setters) entries(m types.Member, in *embedded) {
	kind := s.typeOf(s.f, m.Type)
	s.begin(m, in, "entries "+kind, "puts entries into "+m.Name+", in place of those with the same keys")
	s.f.P("if ", in.path(), m.Name, " == nil && len(entries) > 0 {")
	s.f.P(in.path(), m.Name, " = make(", kind, ", len(entries))")
	s.f.P("}")
	s.f.P("for k, v := range entries {")
	s.f.P(in.path(), m.Name, "[k] = v")
	s.f.P("}")
	s.end()
}

// ensureEmbedded prints the method that makes an embedded struct, for one that is a pointer.
func (s setters) ensureEmbedded(e *embedded, m types.Member) {
	if !e.pointer {
		return
	}
	s.f.P("func (b *", s.name(), ") ensure", e.name, "Exists() {")
	s.f.P("if b.", e.name, " == nil {")
	s.f.P("b.", e.name, " = &", s.typeOf(s.f, m.Type), "{}")
	s.f.P("}")
	s.f.P("}")
	s.f.P()
}

// getters prints the methods by which clients find out what a configuration is for.
func (p printer) getters(f *emit.File, c config, t *types.Type, in *embedded) {
	for _, m := range t.Members {
		switch {
		case left(t, m):
		case m.Embedded:
			p.getters(f, c, model.Pointee(m.Type), p.embed(m))
		case needsGetter(t, m):
			f.P("// Get", m.Name, " is the value of ", m.Name, ".")
			f.P("func (b *", c.name(), ") Get", m.Name, "() *", m.Type, " {")
			in.ensure(f)
			f.P("return ", in.path(), m.Name)
			f.P("}")
			f.P()
		}
	}
}

// needsGetter tells whether a field of metadata is one that clients ask for.
func needsGetter(t *types.Type, m types.Member) bool {
	switch t.Name {
	case types.Name{Package: metaV1, Name: "ObjectMeta"}:
		return m.Name == "Name" || m.Name == "Namespace"
	case types.Name{Package: metaV1, Name: "TypeMeta"}:
		return m.Name == "Kind" || m.Name == "APIVersion"
	}
	return false
}
