package guard

import (
	"fmt"
	gotypes "go/types"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// print writes one function for each type. They have no names, so they add nothing to the package;
// the compiler checks them anyway.
func print(f *emit.File, g guard) {
	f.Preamble("", "If this file does not compile, a type has changed since gen ran: run go generate, or gen.")
	p := printer{f, local(g)}
	for i, t := range g.types {
		if i > 0 {
			f.P()
		}
		p.guard(t)
	}
}

// local is the name of the types as they were. Compilers print it in their messages, where it says
// what to do.
func local(g guard) string {
	name := "runGenAgain"
	for g.pkg.Go.Scope().Lookup(name) != nil {
		name += "_"
	}
	return name
}

type printer struct {
	*emit.File
	local string
}

func (p printer) guard(t *gotypes.Named) {
	name := p.Ident(t.Obj().Pkg().Path(), t.Obj().Name())
	params, args := p.parameters(t)
	p.P("func _", params, "() {")
	under := t.Underlying()
	if s, ok := under.(*gotypes.Struct); ok && s.NumFields() > 0 {
		p.P("type ", p.local, " struct {")
		for f := range s.Fields() {
			p.P(p.field(f))
		}
		p.P("}")
	} else {
		p.P("type ", p.local, " ", p.text(under))
	}
	p.P("// If this does not compile, ", t.Obj().Name(), " has changed since gen ran: run go generate, or gen.")
	if _, ok := under.(*gotypes.Struct); ok {
		p.P("_ = ", name, args, "(", p.local, "{})")
	} else {
		p.P("_ = (*", name, args, ")(new(", p.local, "))") // of values, Go converts more than we may allow
	}
	p.P("}")
}

// parameters are the type parameters of a generic type, as they are declared and as they are used.
func (p printer) parameters(t *gotypes.Named) (params, args string) {
	var declared, used []string
	for param := range t.TypeParams().TypeParams() {
		declared = append(declared, param.Obj().Name()+" "+p.text(param.Constraint()))
		used = append(used, param.Obj().Name())
	}
	if len(used) == 0 {
		return "", ""
	}
	return "[" + strings.Join(declared, ", ") + "]", "[" + strings.Join(used, ", ") + "]"
}

// field is a field without its tag, which conversions leave out of account.
func (p printer) field(f *gotypes.Var) string {
	if f.Anonymous() {
		return p.text(f.Type())
	}
	return f.Name() + " " + p.text(f.Type())
}

// text is how a type is written here.
func (p printer) text(t gotypes.Type) string {
	switch t := t.(type) {
	case *gotypes.Struct:
		var fields []string
		for f := range t.Fields() {
			fields = append(fields, p.field(f))
		}
		if len(fields) == 0 {
			return "struct{}"
		}
		return "struct { " + strings.Join(fields, "; ") + " }"
	case *gotypes.Pointer:
		return "*" + p.text(t.Elem())
	case *gotypes.Slice:
		return "[]" + p.text(t.Elem())
	case *gotypes.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), p.text(t.Elem()))
	case *gotypes.Map:
		return "map[" + p.text(t.Key()) + "]" + p.text(t.Elem())
	default:
		return gotypes.TypeString(t, func(pkg *gotypes.Package) string { return p.Import(pkg.Path()) })
	}
}
