package guard

import (
	gotypes "go/types"
	"iter"
	"strings"
)

// guardable tells whether a type is one whose inside generated code depends on, and known down to
// the last field: one that mentions what only generated files declare is not.
func guardable(t *gotypes.Named) bool {
	switch t.Underlying().(type) {
	case *gotypes.Struct, *gotypes.Basic, *gotypes.Slice, *gotypes.Array, *gotypes.Map, *gotypes.Pointer:
	default:
		return false
	}
	known := true
	parts(t.Underlying(), func(part gotypes.Type) { known = known && part != gotypes.Typ[gotypes.Invalid] })
	return known
}

// writable tells whether a type can be written in another package: with fields that are exported,
// of types that may be imported there.
func writable(t gotypes.Type, from string) bool {
	ok := true
	parts(t, func(part gotypes.Type) {
		switch part := part.(type) {
		case *gotypes.Struct:
			for f := range part.Fields() {
				ok = ok && f.Exported()
			}
		case interface{ Obj() *gotypes.TypeName }: // declared types and aliases
			if pkg := part.Obj().Pkg(); pkg != nil {
				ok = ok && part.Obj().Exported() && mayImport(from, pkg.Path())
			}
		}
	})
	return ok
}

// mayImport is Go's rule of internal packages.
func mayImport(from, path string) bool {
	if path == from {
		return true
	}
	i := strings.LastIndex("/"+path+"/", "/internal/")
	return i < 0 || strings.HasPrefix(from+"/", path[:max(i-1, 0)]+"/")
}

// parts calls visit with a type and everything that it is made of, down to types with a name.
func parts(t gotypes.Type, visit func(gotypes.Type)) {
	visit(t)
	switch t := t.(type) {
	case *gotypes.Struct:
		for f := range t.Fields() {
			parts(f.Type(), visit)
		}
	case *gotypes.Pointer:
		parts(t.Elem(), visit)
	case *gotypes.Slice:
		parts(t.Elem(), visit)
	case *gotypes.Array:
		parts(t.Elem(), visit)
	case *gotypes.Chan:
		parts(t.Elem(), visit)
	case *gotypes.Map:
		parts(t.Key(), visit)
		parts(t.Elem(), visit)
	case *gotypes.Named:
		for arg := range t.TypeArgs().Types() {
			parts(arg, visit)
		}
	}
}

// words are the identifiers in a text, comments and strings included.
func words(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; i < len(text); {
			if !inWord(text[i]) {
				i++
				continue
			}
			start := i
			for i < len(text) && inWord(text[i]) {
				i++
			}
			if !yield(text[start:i]) {
				return
			}
		}
	}
}

func inWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}
