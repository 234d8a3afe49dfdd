package model

import (
	"go/token"
	gotypes "go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"k8s.io/gengo/v2/types"
)

// JSON is what a struct tag says about a field in JSON, as encoding/json takes it.
type JSON struct {
	// Name is the name that the tag gives, "" if it gives none that counts.
	Name string
	// Left tells that the field is left out: `json:"-"`.
	Left bool
	// OmitEmpty, OmitZero and Quoted are the options omitempty, omitzero and string.
	OmitEmpty, OmitZero, Quoted bool
	// Inline tells that there is the option inline, which encoding/json does not know.
	Inline bool
	// Said tells that there is a tag at all.
	Said bool
}

// Omits tells whether a field that holds nothing is not written.
func (j JSON) Omits() bool { return j.OmitEmpty || j.OmitZero }

// JSONOf reads the struct tag of a field, and JSONAt that of a field of a struct of go/types.
func JSONOf(m types.Member) JSON { return parseJSON(m.Tags) }

// JSONAt is explained at JSONOf.
func JSONAt(s *gotypes.Struct, i int) JSON { return parseJSON(s.Tag(i)) }

func parseJSON(structTag string) JSON {
	text, said := reflect.StructTag(structTag).Lookup("json")
	if text == "-" {
		return JSON{Left: true, Said: true}
	}
	parts := strings.Split(text, ",")
	out := JSON{Said: said}
	if validName(parts[0]) {
		out.Name = parts[0]
	}
	options := parts[1:]
	out.OmitEmpty = slices.Contains(options, "omitempty")
	out.OmitZero = slices.Contains(options, "omitzero")
	out.Quoted = slices.Contains(options, "string")
	out.Inline = slices.Contains(options, "inline")
	return out
}

// validName tells whether encoding/json takes a name; one that it does not take is as if it were
// not there.
func validName(name string) bool {
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) {
			return false
		}
	}
	return name != ""
}

// JSONName is the name of a field in JSON: that of its tag or its own. It is "" for a field that is
// left out, and for an embedded struct whose fields stand in place of it (Inlined).
func JSONName(m types.Member) string {
	j := JSONOf(m)
	switch {
	case LeftOut(m) || Inlined(m) != nil:
		return ""
	case j.Name == "":
		return m.Name
	}
	return j.Name
}

// JSONNames are the names of the fields that a struct has in JSON, those of the structs that it
// inlines among them.
func JSONNames(t *types.Type) (out []string) {
	for _, m := range t.Members {
		if inner := Inlined(m); inner != nil {
			out = append(out, JSONNames(inner)...)
		} else if name := JSONName(m); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// LeftOut tells whether JSON has nothing of a field. Of one that other packages can't see, it has
// the fields of an embedded struct.
func LeftOut(m types.Member) bool {
	embeds := m.Embedded && Pointee(m.Type).Kind == types.Struct
	return JSONOf(m).Left || !token.IsExported(m.Name) && !embeds
}

// Inlined is the struct whose fields an embedded field adds to the struct around it; nil for other
// fields.
func Inlined(m types.Member) *types.Type {
	t := m.Type
	if t.Kind == types.Pointer {
		t = t.Elem
	}
	j := JSONOf(m)
	if !m.Embedded || t.Kind != types.Struct || j.Left || j.Name != "" {
		return nil
	}
	return t
}

// StructTag is what a struct tag says under another key than json: "protobuf", "patchStrategy". ok
// tells whether it has the key.
func StructTag(m types.Member, key string) (text string, ok bool) {
	return reflect.StructTag(m.Tags).Lookup(key)
}

// Method tells whether values of a type, or pointers to them, have a method. It may be that of an
// embedded type, whatever its struct tag says.
func Method(t *types.Type, name string) bool { return promotes(t, name, nil) }

func promotes(t *types.Type, name string, within []*types.Type) bool {
	if t.Methods[name] != nil || t.Kind != types.Struct || slices.Contains(within, t) {
		return t.Methods[name] != nil
	}
	promoted := 0
	for _, m := range t.Members {
		if m.Embedded && promotes(Pointee(m.Type), name, append(within, t)) {
			promoted++
		}
	}
	return promoted == 1
}

// JSONKind is the JSON type of the values of a Go type for encoding/json: "string", "integer", and
// so on. It is "" if the type has JSON of its own, or there may be several.
func JSONKind(of *types.Type) string {
	written, read := JSONKinds(of)
	if written != read {
		return ""
	}
	return written
}

// JSONKinds are the JSON types that values of a Go type are written as and read from. They differ
// where a type has methods for one of the two. "" is JSON of its own.
func JSONKinds(of *types.Type) (written, read string) {
	t := Plain(of)
	kind := func(asJSON, asText string) string {
		switch {
		case Method(t, asJSON) || Method(Pointee(of), asJSON):
			return ""
		case Method(t, asText) || Method(Pointee(of), asText):
			return "string"
		case IsNumber(Pointee(of)):
			return "number"
		}
		return kindOf(t)
	}
	return kind("MarshalJSON", "MarshalText"), kind("UnmarshalJSON", "UnmarshalText")
}

// kindOf is JSONKind for a type without names and methods; "" for an interface.
func kindOf(t *types.Type) string {
	switch {
	case t.Kind == types.Struct || t.Kind == types.Map:
		return "object"
	case IsBytes(t):
		return "string"
	case t.Kind == types.Slice || t.Kind == types.Array:
		return "array"
	case t.Kind != types.Builtin:
		return ""
	}
	switch t.Name.Name {
	case "string":
		return "string"
	case "bool":
		return "boolean"
	case "float32", "float64":
		return "number"
	}
	return "integer"
}

// IsNumber tells whether a type is encoding/json's Number, which is text in Go alone.
func IsNumber(t *types.Type) bool {
	return t.Name == types.Name{Package: "encoding/json", Name: "Number"}
}

// IsBytes tells whether a type is a slice that JSON has as base64: one of bytes, under whatever
// name, that don't write themselves.
func IsBytes(t *types.Type) bool {
	if t.Kind != types.Slice {
		return false
	}
	item := Underlying(t.Elem)
	own := t.Elem.Methods["MarshalJSON"] != nil || t.Elem.Methods["MarshalText"] != nil
	return item.Kind == types.Builtin && (item.Name.Name == "byte" || item.Name.Name == "uint8") && !own
}
