package json

import (
	gotypes "go/types"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Field is a field that a struct has in JSON.
type Field struct {
	Name string
	// Path are the embedded fields on the way, and the field itself.
	Path                        []*gotypes.Var
	OmitEmpty, OmitZero, Quoted bool
}

// Var is the field itself.
func (f Field) Var() *gotypes.Var { return f.Path[len(f.Path)-1] }

// Literal is the Go literal of what stands before the value: a comma, the name in quotes, and a
// colon.
func (f Field) Literal() string { return literalOf(f.Name) }

// Fields are those that a struct has in JSON, in the order in which they are declared.
func Fields(t gotypes.Type) []Field {
	var out []Field
	for _, f := range structFields(t) {
		out = append(out, Field{Name: f.name, Path: f.path, OmitEmpty: f.omitEmpty, OmitZero: f.omitZero, Quoted: f.quoted})
	}
	return out
}

// WritesItself says whether values of t, which can be addressed, are written by a method:
// MarshalJSON or MarshalText.
func WritesItself(t gotypes.Type) bool {
	return addressed(t, "MarshalJSON") || addressed(t, "MarshalText")
}

// WantsAddress says whether values of t are written in another way where they have no address, as
// in maps.
func WantsAddress(t gotypes.Type) bool { return wantsAddress(t) }

// HasIsZero says whether values of t, which can be addressed, say themselves whether omitzero
// leaves them out.
func HasIsZero(t gotypes.Type) bool { return addressed(t, "IsZero") }

// Wants says whether the structs of a package have functions for JSON.
func Wants(pass *generators.Pass, pkg *model.Package) bool {
	return newPlanner(pass).mode(pkg) == "package"
}
