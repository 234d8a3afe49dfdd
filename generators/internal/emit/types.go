package emit

import (
	"fmt"
	gotypes "go/types"
	"sort"
	"strings"

	"k8s.io/gengo/v2/types"
)

// Type returns how a type is written in this file and imports what it mentions.
func (f *File) Type(t *types.Type) string {
	if t.Name.Package != "" {
		return f.Ident(t.Name.Package, f.generic(t))
	}
	switch t.Kind {
	case types.Pointer:
		return "*" + f.Type(t.Elem)
	case types.Slice:
		return "[]" + f.Type(t.Elem)
	case types.Array:
		return fmt.Sprintf("[%d]%s", t.Len, f.Type(t.Elem))
	case types.Map:
		return "map[" + f.Type(t.Key) + "]" + f.Type(t.Elem)
	case types.Chan:
		return "chan " + f.Type(t.Elem)
	case types.Struct:
		return f.structType(t)
	case types.Func:
		return "func" + f.signature(t.Signature)
	case types.Interface:
		return f.interfaceType(t)
	default:
		return t.Name.Name
	}
}

func (f *File) structType(t *types.Type) string {
	if len(t.Members) == 0 {
		return "struct{}"
	}
	var b strings.Builder
	b.WriteString("struct{ ")
	for i, m := range t.Members {
		if i > 0 {
			b.WriteString("; ")
		}
		if !m.Embedded {
			b.WriteString(m.Name + " ")
		}
		b.WriteString(f.Type(m.Type))
		if m.Tags != "" {
			fmt.Fprintf(&b, " %q", m.Tags)
		}
	}
	b.WriteString(" }")
	return b.String()
}

func (f *File) interfaceType(t *types.Type) string {
	if len(t.Methods) == 0 {
		if t.Name.Name == "error" || t.Name.Name == "comparable" {
			return t.Name.Name
		}
		return "interface{}"
	}
	if t.Name.Name == "error" {
		return "error"
	}
	names := make([]string, 0, len(t.Methods))
	for name := range t.Methods {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString("interface{ ")
	for i, name := range names {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(name + f.signature(t.Methods[name].Signature))
	}
	b.WriteString(" }")
	return b.String()
}

func (f *File) signature(s *types.Signature) string {
	list := func(params []*types.ParamResult, variadic bool) string {
		var out []string
		for i, p := range params {
			text := f.Type(p.Type)
			if variadic && i == len(params)-1 {
				text = "..." + strings.TrimPrefix(text, "[]")
			}
			out = append(out, text)
		}
		return strings.Join(out, ", ")
	}
	text := "(" + list(s.Parameters, s.Variadic) + ")"
	switch len(s.Results) {
	case 0:
		return text
	case 1:
		return text + " " + list(s.Results, false)
	default:
		return text + " (" + list(s.Results, false) + ")"
	}
}

// generic returns the name of a declared type within its package, with type arguments written for
// this file.
func (f *File) generic(t *types.Type) string {
	base, _, ok := strings.Cut(t.Name.Name, "[")
	if !ok {
		return t.Name.Name
	}
	named, isNamed := t.GoType.(*gotypes.Named)
	if !isNamed || named.TypeArgs().Len() == 0 {
		return t.Name.Name
	}
	var args []string
	for i := range named.TypeArgs().Len() {
		args = append(args, gotypes.TypeString(named.TypeArgs().At(i), func(p *gotypes.Package) string {
			return f.Import(p.Path())
		}))
	}
	return base + "[" + strings.Join(args, ", ") + "]"
}
