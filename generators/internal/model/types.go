package model

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// Underlying is the type below declared names of basic types, maps and slices. Structs stay as they
// are.
func Underlying(t *types.Type) *types.Type {
	for t.Kind == types.Alias {
		t = t.Underlying
	}
	return t
}

// Pointee is what pointers lead to; a type that is none is returned as it is.
func Pointee(t *types.Type) *types.Type {
	for t.Kind == types.Pointer {
		t = t.Elem
	}
	return t
}

// NamedChain is a declared type and those that it is named after, one after the other: for "type A
// B" and "type B string" it is A and B. What their markers say holds for the first of them.
func (m *Model) NamedChain(t *types.Type) []*types.Type {
	out := []*types.Type{t}
	for after := m.NamedAfter(t); after != nil && !slices.Contains(out, after); after = m.NamedAfter(after) {
		out = append(out, after)
		_ = m.DependencyComments(after.Name.Package) // without comments there are no markers
	}
	return out
}

// IsInstance tells whether a type is an instance of a generic one.
func IsInstance(t *types.Type) bool { return strings.Contains(t.Name.Name, "[") }

// FuncPart is the name of a type as a part of a function's, in which an instance of a generic type
// can't have its brackets.
func FuncPart(t *types.Type) string {
	return strings.Trim(notInNames.ReplaceAllString(t.Name.Name, "_"), "_")
}

var notInNames = regexp.MustCompile(`[^\pL\pN]+`)

// Plain is a type without names and pointers, whatever their order.
func Plain(t *types.Type) *types.Type {
	for {
		switch t.Kind {
		case types.Pointer:
			t = t.Elem
		case types.Alias:
			t = t.Underlying
		default:
			return t
		}
	}
}

// GoName is a type as problems call it: in Go, with the last part of the import path.
func GoName(t *types.Type) string {
	switch {
	case t.Name.Package != "":
		return path.Base(t.Name.Package) + "." + t.Name.Name
	case t.Kind == types.Pointer:
		return "*" + GoName(t.Elem)
	case t.Kind == types.Slice:
		return "[]" + GoName(t.Elem)
	case t.Kind == types.Array:
		return fmt.Sprintf("[%d]%s", t.Len, GoName(t.Elem))
	case t.Kind == types.Map:
		return "map[" + GoName(t.Key) + "]" + GoName(t.Elem)
	case t.Kind == types.Struct:
		return "struct without a name"
	}
	return t.Name.Name
}
