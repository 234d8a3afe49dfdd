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
