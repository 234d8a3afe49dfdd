// Package shape answers what validation asks about Go types. Examples are what is below names
// and pointers, whether a value can be nil, and what a field is called in JSON. All functions
// are pure.
package shape

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// Unsupported says why values of a type can't be looked into; "" if they can.
func Unsupported(t *types.Type) string { return unsupported(t, nil) }

// unsupported is Unsupported within other types.
func unsupported(t *types.Type, within []*types.Type) string {
	if slices.Contains(within, t) {
		return "it is a list of itself"
	}
	within = append(within, t)
	switch t.Kind {
	case types.Alias:
		return unsupported(t.Underlying, within)
	case types.Builtin, types.Struct, types.Interface:
		return ""
	case types.Pointer:
		if t.Name.Package != "" {
			return "it is a declared pointer"
		}
		switch Native(t.Elem).Kind {
		case types.Slice:
			return unsupported(t.Elem, within)
		case types.Pointer, types.Array, types.Map:
			return "it is a pointer to " + AKind(t.Elem)
		}
		return unsupported(t.Elem, within)
	case types.Slice:
		item := Native(t.Elem)
		if item.Kind == types.Slice && !IsBytes(item) {
			return unsupported(item, within)
		}
		if item.Kind == types.Map || item.Kind == types.Array {
			return "it is a list of " + KindName(t.Elem) + "s"
		}
		return ""
	case types.Map:
		value := Native(t.Elem)
		switch {
		case !IsString(Native(t.Key)):
			return "it is a map whose keys are no strings"
		case value.Kind == types.Pointer || value.Kind == types.Map || value.Kind == types.Array:
			return "it is a map of " + KindName(t.Elem) + "s"
		}
		return ""
	}
	return "it is " + Article(strings.ToLower(string(t.Kind)))
}

// MapOfLists is the one shape that may be there and must not have rules.
func MapOfLists(t *types.Type) bool {
	b := Bare(t)
	return b.Kind == types.Map && Native(b.Elem).Kind == types.Slice && b.Elem.Kind == types.Slice
}

// Innermost is the declared type, or the basic one, that a type is made of.
func Innermost(t *types.Type) *types.Type {
	for t.Elem != nil && (t.Name.Package == "" || slices.Contains([]types.Kind{types.Pointer, types.Array}, t.Kind)) {
		t = t.Elem
	}
	return t
}

// IsKey says whether values of a type are their own keys.
func IsKey(t *types.Type) bool { return ByValue(model.Pointee(Native(t))) }

func OfStructs(list *types.Type) bool { return Bare(Native(list).Elem).Kind == types.Struct }

// Native returns the type below declared names: for "type X []Y" that is []Y, for *X it is *[]Y.
// Structs stay as they are.
func Native(t *types.Type) *types.Type {
	pointers := 0
	for {
		switch t.Kind {
		case types.Alias:
			t = t.Underlying
			continue
		case types.Pointer:
			pointers++
			t = t.Elem
			continue
		}
		break
	}
	for range pointers {
		t = types.PointerTo(t)
	}
	return t
}

// Bare is the type below names and pointers.
func Bare(t *types.Type) *types.Type { return model.Pointee(Native(t)) }

// OwnJSON tells whether a type reads and writes its JSON itself, so that its fields say nothing
// about that.
func OwnJSON(t *types.Type) bool {
	for _, method := range []string{"UnmarshalJSON", "MarshalJSON", "MarshalText"} {
		if t.Methods[method] != nil {
			return true
		}
	}
	return false
}

// Nilable tells whether a value of the type can be compared with nil. All functions of validation
// take such values: a type that isn't gets a pointer.
func Nilable(t *types.Type) bool {
	switch Native(t).Kind {
	case types.Pointer, types.Map, types.Slice, types.Interface:
		return true
	}
	return false
}

// NilableForm is the type that a function of validation takes for values of t.
func NilableForm(t *types.Type) *types.Type {
	if Nilable(t) {
		return t
	}
	return types.PointerTo(t)
}

// ByValue tells whether == compares values of the type as users do: not by the address behind a
// pointer.
func ByValue(t *types.Type) bool {
	switch t.Kind {
	case types.Builtin:
		return true
	case types.Struct:
		for _, m := range t.Members {
			if !ByValue(m.Type) {
				return false
			}
		}
		return true
	case types.Array:
		return ByValue(t.Elem)
	case types.Alias:
		return ByValue(t.Underlying)
	}
	return false
}

// MemberByJSON finds the field of a struct by the name that it has in JSON, also in structs that
// are embedded without a name.
func MemberByJSON(t *types.Type, name string) *types.Member {
	_, m := FieldByJSON(t, name)
	return m
}

// FieldByJSON is MemberByJSON with the struct that has the field.
func FieldByJSON(t *types.Type, name string) (owner *types.Type, m *types.Member) {
	for i := range t.Members {
		if name != "" && JSONName(t.Members[i]) == name && !Hidden(t.Members[i]) {
			return t, &t.Members[i]
		}
	}
	for _, m := range t.Members {
		if inner := model.Inlined(m); inner != nil {
			if owner, found := FieldByJSON(inner, name); found != nil {
				return owner, found
			}
		}
	}
	return nil, nil
}

// JSONName is what a field is called in JSON; "" for a struct whose fields stand beside those of
// the outer one.
func JSONName(m types.Member) string {
	if model.Inlined(m) != nil {
		return ""
	}
	return cmp.Or(model.JSONOf(m).Name, m.Name)
}

// Omitted tells whether clients leave the field out when it is zero.
func Omitted(m types.Member) bool {
	return model.JSONOf(m).Omits()
}

// Hidden tells whether the field is not in JSON at all.
func Hidden(m types.Member) bool {
	return model.JSONOf(m).Left
}

func IsString(t *types.Type) bool { return t.Kind == types.Builtin && t.Name.Name == "string" }

// IsPointerToList tells whether values of a type are pointers to lists.
func IsPointerToList(t *types.Type) bool {
	n := Native(t)
	return n.Kind == types.Pointer && n.Elem.Kind == types.Slice
}

// IsBytes tells whether a type without names is a list of bytes, which is text in JSON.
func IsBytes(t *types.Type) bool { return t.Kind == types.Slice && Native(t.Elem).Name.Name == "byte" }

// WritesOwnJSON tells whether a type has a method that writes its JSON, or its text.
func WritesOwnJSON(t *types.Type) bool {
	return t.Methods["MarshalJSON"] != nil || t.Methods["MarshalText"] != nil
}

func IsBool(t *types.Type) bool { return t.Kind == types.Builtin && t.Name.Name == "bool" }

func IsFloat(t *types.Type) bool {
	return t.Kind == types.Builtin && (t.Name.Name == "float32" || t.Name.Name == "float64")
}

// IntSize returns the width of an integer type and whether it has a sign; bits is 0 for other
// types.
func IntSize(t *types.Type) (bits int, signed bool) {
	if t.Kind != types.Builtin {
		return 0, false
	}
	switch t.Name.Name {
	case "int":
		return strconv.IntSize, true
	case "int8":
		return 8, true
	case "int16":
		return 16, true
	case "int32", "rune":
		return 32, true
	case "int64":
		return 64, true
	case "uint":
		return strconv.IntSize, false
	case "uint8", "byte":
		return 8, false
	case "uint16":
		return 16, false
	case "uint32":
		return 32, false
	case "uint64":
		return 64, false
	}
	return 0, false
}

func IsInt(t *types.Type) bool { bits, _ := IntSize(t); return bits > 0 }
