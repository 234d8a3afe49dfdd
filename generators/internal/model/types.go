package model

import (
	"fmt"
	"iter"
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

// Layers are a type, what it points to and what it is named after, from the outside. For *Name, a
// pointer to a string of this name, they are the pointer, the name and the string.
func Layers(t *types.Type) iter.Seq[*types.Type] {
	return func(yield func(*types.Type) bool) {
		for t != nil && yield(t) {
			switch t.Kind {
			case types.Pointer:
				t = t.Elem
			case types.Alias:
				t = t.Underlying
			default:
				return
			}
		}
	}
}

// Plain is a type without names and pointers, whatever their order.
func Plain(t *types.Type) (plain *types.Type) {
	for layer := range Layers(t) {
		plain = layer
	}
	return plain
}

// GoName is a type as problems call it: in Go, with the last part of the import path.
func GoName(t *types.Type) string {
	return written(t, func(n types.Name) string { return path.Base(n.Package) + "." + n.Name })
}

// ShortName is a type as it is written in its own package.
func ShortName(t *types.Type) string {
	return written(t, func(n types.Name) string { return n.Name })
}

// written is a type in Go, with a function for the names of packages' types.
func written(t *types.Type, name func(types.Name) string) string {
	switch {
	case t.Name.Package != "":
		return name(t.Name)
	case t.Kind == types.Pointer:
		return "*" + written(t.Elem, name)
	case t.Kind == types.Slice:
		return "[]" + written(t.Elem, name)
	case t.Kind == types.Array:
		return fmt.Sprintf("[%d]%s", t.Len, written(t.Elem, name))
	case t.Kind == types.Map:
		return "map[" + written(t.Key, name) + "]" + written(t.Elem, name)
	case t.Kind == types.Struct:
		return "struct without a name"
	}
	return t.Name.Name
}
