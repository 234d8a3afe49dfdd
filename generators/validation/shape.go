package validation

import (
	"cmp"
	"strconv"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/model"
)

// native returns the type below declared names: for "type X []Y" that is []Y, for *X it is *[]Y. Structs stay as they
// are.
func native(t *types.Type) *types.Type {
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

// bare is the type below names and pointers.
func bare(t *types.Type) *types.Type { return model.Pointee(native(t)) }

// nilable tells whether a value of the type can be compared with nil. All functions of validation take such values: a
// type that isn't gets a pointer.
func nilable(t *types.Type) bool {
	switch native(t).Kind {
	case types.Pointer, types.Map, types.Slice, types.Interface:
		return true
	}
	return false
}

// nilableForm is the type that a function of validation takes for values of t.
func nilableForm(t *types.Type) *types.Type {
	if nilable(t) {
		return t
	}
	return types.PointerTo(t)
}

// byValue tells whether == compares values of the type as users do: not by the address behind a pointer.
func byValue(t *types.Type) bool {
	switch t.Kind {
	case types.Builtin:
		return true
	case types.Struct:
		for _, m := range t.Members {
			if !byValue(m.Type) {
				return false
			}
		}
		return true
	case types.Array:
		return byValue(t.Elem)
	case types.Alias:
		return byValue(t.Underlying)
	}
	return false
}

// memberByJSON finds the field of a struct by the name that it has in JSON, also in structs that are embedded without
// a name.
func memberByJSON(t *types.Type, name string) *types.Member {
	for i := range t.Members {
		if name != "" && jsonName(t.Members[i]) == name && !hidden(t.Members[i]) {
			return &t.Members[i]
		}
	}
	for _, m := range t.Members {
		if inner := model.Inlined(m); inner != nil {
			if found := memberByJSON(inner, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// jsonNames are the names of the fields of a struct, for suggestions.
func jsonNames(t *types.Type) []string {
	var out []string
	for _, m := range t.Members {
		if name := jsonName(m); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// jsonName is what a field is called in JSON; "" for a struct whose fields stand beside those of the outer one.
func jsonName(m types.Member) string {
	if model.Inlined(m) != nil {
		return ""
	}
	return cmp.Or(model.ParseJSON(m.Tags).Name, m.Name)
}

// omitted tells whether clients leave the field out when it is zero.
func omitted(m types.Member) bool {
	return model.ParseJSON(m.Tags).Omits()
}

// hidden tells whether the field is not in JSON at all.
func hidden(m types.Member) bool {
	return model.ParseJSON(m.Tags).Left
}

func isString(t *types.Type) bool { return t.Kind == types.Builtin && t.Name.Name == "string" }
func isBool(t *types.Type) bool   { return t.Kind == types.Builtin && t.Name.Name == "bool" }

func isFloat(t *types.Type) bool {
	return t.Kind == types.Builtin && (t.Name.Name == "float32" || t.Name.Name == "float64")
}

// intSize returns the width of an integer type and whether it has a sign; bits is 0 for other types.
func intSize(t *types.Type) (bits int, signed bool) {
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

func isInt(t *types.Type) bool { bits, _ := intSize(t); return bits > 0 }

// kindName says what a type is, as a problem names it.
func kindName(t *types.Type) string {
	if name := celTypeNames[t]; name != "" {
		return name
	}
	n := native(t)
	pointer := ""
	if n.Kind == types.Pointer {
		pointer, n = "pointer to a ", model.Pointee(n)
	}
	switch {
	case n.Kind == types.Slice || n.Kind == types.Array:
		return pointer + "list"
	case n.Kind == types.Map:
		return pointer + "map"
	case n.Kind == types.Struct:
		return pointer + "struct"
	case n.Kind == types.Interface:
		return pointer + "interface"
	case isInt(n):
		return pointer + "integer"
	case isFloat(n):
		return pointer + "floating-point number"
	}
	return pointer + n.Name.Name
}

// aKind is kindName with its article.
func aKind(t *types.Type) string { return article(kindName(t)) }
