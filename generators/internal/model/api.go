package model

import (
	"go/token"

	"k8s.io/gengo/v2/types"
)

// API is one version of a group, as one package declares it: plain data for those who describe an
// API and those who compare two states of one. A tag that can't be read is left out, and reported
// by the plug-in that it is for. Field names are those of JSON, and fields of embedded structs
// stand where JSON has them. How a number or a pointer is declared in Go is only told as far as it
// can be seen on the wire.
type API struct {
	Group, Version string
	// Path is the import path, Dir the folder, Pos the package clause that the tags belong to.
	Path, Dir string
	Pos       token.Position
	// Doc is the package's comment without tags.
	Doc   []string
	Kinds []*Kind
	// Types are the structs and enums that the kinds are made of, without the kinds: those of the
	// package first, by name.
	Types []*Type
}

// Kind is a kind of an API, with how it is served.
type Kind struct {
	Name string
	Pos  token.Position
	// Doc is the comment above the kind, which for an alias is not that of its type.
	Doc  []string
	Type *Type

	Plural, Singular       string
	ShortNames, Categories []string
	Namespaced             bool
	Status, Scale          bool
	// Listed says that there is a list of it: without one it is no resource, but what a subresource
	// takes or gives.
	Listed bool
	// Subresources are those of the author, in the order of their markers.
	Subresources []string
	// Served says that clients can use this version, Stored that objects are stored in it by a tag.
	Served, Stored bool
	Columns        []Column
	// Verbs are those that clients may use.
	Verbs []string
	// Selectable are the fields that field selectors may name.
	Selectable []string
}

// Column is a column of kubectl get.
type Column struct{ Name, Type, Path, Description, Priority string }

// Type is a struct, or a declared string or number with a closed set of values.
type Type struct {
	Name string
	// Path is the import path of the package that declares it.
	Path string
	Pos  token.Position
	Doc  []string
	// Go is the type in the model.
	Go     *types.Type
	Fields []*Field
	Enum   []Value
	// Atomic says that a struct is replaced as a whole when it is applied.
	Atomic bool
}

// Value is one value of an enum, as JSON.
type Value struct {
	JSON string
	Doc  []string
}

// Field is one field of a struct, as JSON has it.
type Field struct {
	// Name is its name in JSON, GoName that in Go.
	Name, GoName string
	// Owner is the struct that declares the field. If a struct embeds another one, the fields of
	// the other have that as their owner.
	Owner string
	Pos   token.Position
	Doc   []string
	Shape Shape

	Required, Nullable bool
	// Default is JSON, or ref(Variable); "" without one.
	Default string
	// Rules are what the tags of the field and of its type ask of the value, in the order of
	// Limits.
	Rules []Rule
	// Enum are the values that are allowed, if only some are.
	Enum []Value
	// ListType is atomic, set or map, MapType atomic or granular; "" if nothing is said. Keys go
	// with lists of type map.
	ListType, MapType string
	ListKeys          []string
	// PatchStrategy and PatchKey are for strategic merge patches.
	PatchStrategy, PatchKey string
	// Number and ProtoName are those of the protobuf field; 0 and "" if they are not known.
	Number    int
	ProtoName string
}

// Shape is the type of a value as far as the wire shows it.
type Shape struct {
	// Text is a scalar ("string", "int32", "time") or, for a list or map, "list" or "map". "" for a
	// struct.
	Text string
	// Struct is set for a struct, and Named for a declared type with an enum.
	Struct, Named *Type
	// Elem is what a list or map holds, Key the key of a map.
	Elem, Key *Shape
}

// Rule is one limit, like {"maxLength", "63"}. Those of items or values begin with "items.", those
// of keys with "keys.".
type Rule struct {
	Name, Value string
	// Under is the part or the condition that tags around it name, as they do: item(type: "Ready"),
	// subfield(name), ifEnabled(Option). It is "" for a rule that holds for the field as such.
	Under string
}

// String is the shape in words, like "list of Condition".
func (s Shape) String() string {
	switch {
	case s.Struct != nil:
		return s.Struct.Name
	case s.Text == "list":
		return "list of " + s.Elem.String()
	case s.Text == "map" && s.Key.Text != "string":
		return "map from " + s.Key.String() + " to " + s.Elem.String()
	case s.Text == "map":
		return "map of " + s.Elem.String()
	default:
		return s.Text
	}
}

// Rule returns the value of a rule and whether there is such a rule.
func (f *Field) Rule(name string) (string, bool) {
	for _, r := range f.Rules {
		if r.Name == name && r.Under == "" {
			return r.Value, true
		}
	}
	return "", false
}
