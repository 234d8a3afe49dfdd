package json

import (
	"fmt"
	gotypes "go/types"
	"slices"
	"strings"
)

// reflectText is a type as reflect prints it, which is how errors about JSON name it: "v1.Book",
// "[]uint8".
func reflectText(t gotypes.Type) string {
	switch t := gotypes.Unalias(t).(type) {
	case *gotypes.Named:
		name := t.Obj().Name()
		if t.TypeArgs().Len() > 0 {
			name += "[" + reflectArguments(t) + "]"
		}
		if t.Obj().Pkg() == nil {
			return name
		}
		return t.Obj().Pkg().Name() + "." + name
	case *gotypes.Basic:
		return gotypes.Typ[t.Kind()].Name()
	case *gotypes.Pointer:
		return "*" + reflectText(t.Elem())
	case *gotypes.Slice:
		return "[]" + reflectText(t.Elem())
	case *gotypes.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), reflectText(t.Elem()))
	case *gotypes.Map:
		return "map[" + reflectText(t.Key()) + "]" + reflectText(t.Elem())
	case *gotypes.Struct:
		return reflectStruct(t)
	case *gotypes.Interface:
		return reflectInterface(t)
	}
	return gotypes.TypeString(t, (*gotypes.Package).Name)
}

func reflectInterface(t *gotypes.Interface) string {
	var methods []string
	for i := range t.NumMethods() {
		m := t.Method(i)
		methods = append(methods, m.Name()+reflectSignature(m.Signature()))
	}
	if methods == nil {
		return "interface {}"
	}
	slices.Sort(methods)
	return "interface { " + strings.Join(methods, "; ") + " }"
}

func reflectSignature(s *gotypes.Signature) string {
	list := func(t *gotypes.Tuple) string {
		var out []string
		for v := range t.Variables() {
			out = append(out, reflectText(v.Type()))
		}
		if s.Variadic() && t == s.Params() {
			out[len(out)-1] = "..." + strings.TrimPrefix(out[len(out)-1], "[]")
		}
		return strings.Join(out, ", ")
	}
	text, results := "("+list(s.Params())+")", list(s.Results())
	switch s.Results().Len() {
	case 0:
		return text
	case 1:
		return text + " " + results
	}
	return text + " (" + results + ")"
}

// reflectArguments names type arguments with the whole import path, unlike everything else.
func reflectArguments(t *gotypes.Named) string {
	var args []string
	for i := range t.TypeArgs().Len() {
		args = append(args, gotypes.TypeString(t.TypeArgs().At(i), nil))
	}
	return strings.Join(args, ",")
}

func reflectStruct(t *gotypes.Struct) string {
	var fields []string
	for i := range t.NumFields() {
		f := t.Field(i)
		text := reflectText(f.Type())
		if !f.Embedded() {
			text = f.Name() + " " + text
		}
		if t.Tag(i) != "" {
			text += fmt.Sprintf(" %q", t.Tag(i))
		}
		fields = append(fields, text)
	}
	if fields == nil {
		return "struct {}"
	}
	return "struct { " + strings.Join(fields, "; ") + " }"
}
