package fieldset

import (
	gotypes "go/types"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/json"
)

func (p *printer) fields(f *function) {
	for _, m := range f.fields {
		switch {
		case m.embedded != nil:
			p.P(p.nameOf(m.embedded), "(c, ", p.ref(f.typ, "old", m.Field), ", ", p.ref(f.typ, "obj", m.Field), ")")
		case m.node.how == asMetadata:
			p.P(p.call("ObjectMeta", "c", "&"+p.ref(f.typ, "old", m.Field), "&"+p.ref(f.typ, "obj", m.Field)))
		default:
			p.field(f, m)
		}
	}
}

// asksForPresence says whether a field is there whenever the struct is.
func (f *function) asksForPresence() bool {
	for _, m := range f.fields {
		if m.embedded == nil && len(conditions(m.Field, "", "")) == 0 {
			return true
		}
	}
	return false
}

func (p *printer) field(f *function, m *member) {
	was, is := p.ref(f.typ, "old", m.Field), p.ref(f.typ, "obj", m.Field)
	wasThere, isThere := p.there(f, m, was, "was"), p.there(f, m, is, "is")
	name := strconv.Quote(m.Name)
	if same := p.same(m.node, was, is); same != "" {
		p.P("c.Leaf(", name, ", ", wasThere, ", ", isThere, ", ", same, ")")
		return
	}
	n := m.node
	if _, ok := n.typ.(*gotypes.Pointer); ok && wasThere == was+" != nil" {
		p.P(p.call("Field", "c", name, was, is, p.values(n.elem)))
		return
	}
	if filled := filled(m.Field); filled != "" {
		p.P(p.call(filled, "c", name, "&"+was, "&"+is, p.values(n)))
		return
	}
	p.P(p.call("Field", "c", name, p.pointer(wasThere, was), p.pointer(isThere, is), p.values(n)))
}

// filled is the function for a field that JSON shows if there is something in it; "" if that is not
// all.
func filled(f json.Field) string {
	if !f.OmitEmpty || f.OmitZero {
		return ""
	}
	switch f.Var().Type().Underlying().(type) {
	case *gotypes.Slice:
		return "FilledList"
	case *gotypes.Map:
		return "FilledMap"
	}
	return ""
}

// pointer is a pointer to a value, or nil if it is not there.
func (p *printer) pointer(there, value string) string {
	if there == "true" {
		return "&" + value
	}
	return p.call("If", there, "&"+value)
}

// same is the expression that compares two values by Go; "" if that takes more than one.
func (p *printer) same(n *node, was, is string) string {
	if n.how != asLeaf {
		return ""
	}
	if comparable(n.typ) {
		return was + " == " + is
	}
	if writesItself(n.typ) {
		return ""
	}
	switch u := n.typ.Underlying().(type) {
	case *gotypes.Pointer:
		if comparable(u.Elem()) {
			return p.call("SamePointers", was, is)
		}
	case *gotypes.Slice:
		if comparable(u.Elem()) {
			return p.call("SameLists", was, is)
		}
	case *gotypes.Map:
		if comparable(u.Elem()) {
			return p.call("SameMaps", was, is)
		}
	}
	return ""
}

// there is the condition under which JSON shows a field. of is the variable that says whether the
// struct is there.
func (p *printer) there(f *function, m *member, value, of string) string {
	isZero := ""
	if m.OmitZero && needsReflection(m.Var().Type()) {
		isZero = p.Ident(jsonPath, "IsZero")
	}
	list := conditions(m.Field, value, isZero)
	switch {
	case len(list) > 0:
		return strings.Join(list, " && ")
	case f.name != "":
		return "true" // a kind is always there
	}
	return of
}

// conditions are those under which JSON shows a field of a struct that is there. isZero is what
// tells a zero value by reflection.
func conditions(f json.Field, value, isZero string) (out []string) {
	t := f.Var().Type()
	if f.OmitEmpty {
		switch u := t.Underlying().(type) {
		case *gotypes.Basic:
			out = append(out, notZero(u, value))
		case *gotypes.Map, *gotypes.Slice, *gotypes.Array:
			out = append(out, "len("+value+") > 0")
		case *gotypes.Pointer, *gotypes.Interface:
			out = append(out, value+" != nil")
		}
	}
	if !f.OmitZero {
		return out
	}
	var c string
	switch u := t.Underlying().(type) {
	case *gotypes.Pointer, *gotypes.Interface:
		c = value + " != nil"
		if json.HasIsZero(t) {
			c += " && !" + value + ".IsZero()"
		}
	case *gotypes.Basic:
		c = notZero(u, value)
		if json.HasIsZero(t) {
			c = "!" + value + ".IsZero()"
		}
	default:
		switch {
		case json.HasIsZero(t):
			c = "!" + value + ".IsZero()"
		case needsReflection(t):
			c = "!" + isZero + "(&" + value + ")"
		default:
			c = value + " != nil"
		}
	}
	if len(out) == 0 || out[len(out)-1] != c {
		out = append(out, c)
	}
	return out
}

// needsReflection says whether Go has no comparison of a value with the zero value.
func needsReflection(t gotypes.Type) bool {
	switch t.Underlying().(type) {
	case *gotypes.Struct, *gotypes.Array:
		return !json.HasIsZero(t)
	}
	return false
}

func notZero(b *gotypes.Basic, value string) string {
	switch {
	case b.Info()&gotypes.IsString != 0:
		return value + ` != ""`
	case b.Info()&gotypes.IsBoolean != 0:
		return value
	}
	return value + " != 0"
}

// ref is a field of a variable that is a struct of type t: by its name alone if that says which
// field is meant.
func (p *printer) ref(t gotypes.Type, variable string, f json.Field) string {
	if obj, _, _ := gotypes.LookupFieldOrMethod(t, true, f.Var().Pkg(), f.Var().Name()); obj == f.Var() {
		return variable + "." + f.Var().Name()
	}
	text := variable
	for i, v := range f.Path {
		if i == len(f.Path)-1 || v.Exported() || v.Pkg() == p.server.Go {
			text += "." + v.Name()
		}
	}
	return text
}
