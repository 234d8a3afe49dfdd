package protobuf

import (
	"fmt"
	"path"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// string prints String in the form that Kubernetes' types have.
func (p *printer) string(m *message) {
	p.P("// String is for people: it shows all that m holds.")
	p.P("func (", p.receiver(m), ") String() string {")
	p.P("if m == nil {")
	p.P(`return "nil"`)
	p.P("}")
	if m.items {
		p.f("return %s(%s(m))", p.Ident("fmt", "Sprint"), p.Type(model.Underlying(m.typ)))
	} else {
		p.f(`return "&%s{" +`, m.name)
		for _, f := range m.byNumber() {
			p.f(`"%s:" + %s + "," +`, f.goName, p.text(f))
		}
		p.P(`"}"`)
	}
	p.P("}")
	p.P()
}

// text is the text of a field.
func (p *printer) text(f *field) string {
	access, v := f.access(), f.value
	switch {
	case f.shape == dict:
		return fmt.Sprintf("%s(%q, %s)", p.helper("MapToString"), shortName(f.typ, p.pkg), access)
	case f.shape == list && v.isMessage():
		return fmt.Sprintf("%s(%q, %s, %s)", p.helper("ListToString"), v.listName(), access, p.itemText(v))
	case v.isMessage():
		text := p.sprint(access)
		if v.hasString(p.pkg) {
			text = access + ".String()"
		} else if v.typ.Name.Package != p.pkg {
			text = fmt.Sprintf("%s(%s, %q, %q, 1)", p.Ident("strings", "Replace"), text, v.typ.Name.Name, shortName(v.typ, p.pkg))
		}
		if !v.pointer && !v.nilable {
			text = fmt.Sprintf("%s(%s)", p.helper("StructToString"), text)
		}
		return text
	case f.mayBeNil():
		return fmt.Sprintf("%s(%s)", p.helper("ValueToString"), access)
	}
	return p.sprint(access)
}

func (p *printer) sprint(expr string) string { return p.Ident("fmt", "Sprint") + "(" + expr + ")" }

// itemText is a function that makes the text of one item of a list.
func (p *printer) itemText(v *value) string {
	typ := p.Type(v.typ)
	switch {
	case v.hasString(p.pkg) && v.pointer:
		return fmt.Sprintf("func(v **%s) string { return (*v).String() }", typ)
	case v.hasString(p.pkg):
		return fmt.Sprintf("func(v *%s) string { return %s(v.String()) }", typ, p.helper("StructToString"))
	case v.pointer:
		typ = "*" + typ
	}
	return fmt.Sprintf("func(v *%s) string { return %s }", typ, p.sprint("*v"))
}

// listName is the Go type of a list of messages, without the package.
func (v *value) listName() string {
	if v.pointer {
		return "[]*" + v.typ.Name.Name
	}
	return "[]" + v.typ.Name.Name
}

// hasString tells whether the message has a String method that belongs to this package.
func (v *value) hasString(pkg string) bool { return v.typ.Name.Package == pkg && v.stringer }

// shortName is a Go type as its own package, or a reader, names it: v1.Time.
func shortName(t *types.Type, pkg string) string {
	switch {
	case t.Name.Package == pkg && pkg != "":
		return t.Name.Name
	case t.Name.Package != "":
		return path.Base(t.Name.Package) + "." + t.Name.Name
	case t.Kind == types.Slice:
		return "[]" + shortName(t.Elem, pkg)
	case t.Kind == types.Pointer:
		return "*" + shortName(t.Elem, pkg)
	case t.Kind == types.Map:
		return "map[" + shortName(t.Key, pkg) + "]" + shortName(t.Elem, pkg)
	}
	return t.Name.Name
}
