package json

import gotypes "go/types"

// Field is a field that a struct has in JSON.
type Field struct {
	Name string
	// Path are the embedded fields on the way, and the field itself.
	Path                []*gotypes.Var
	OmitEmpty, OmitZero bool
}

// Var is the field itself.
func (f Field) Var() *gotypes.Var { return f.Path[len(f.Path)-1] }

// Fields are those that a struct has in JSON, in the order in which they are declared.
func Fields(t gotypes.Type) []Field {
	var out []Field
	for _, f := range structFields(t) {
		out = append(out, Field{Name: f.name, Path: f.path, OmitEmpty: f.omitEmpty, OmitZero: f.omitZero})
	}
	return out
}

// WritesItself says whether values of t, which can be addressed, are written by a method:
// MarshalJSON or MarshalText.
func WritesItself(t gotypes.Type) bool {
	return addressed(t, "MarshalJSON") || addressed(t, "MarshalText")
}

// HasIsZero says whether values of t, which can be addressed, say themselves whether omitzero
// leaves them out.
func HasIsZero(t gotypes.Type) bool { return addressed(t, "IsZero") }
