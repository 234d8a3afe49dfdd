// Package tag knows the comment tags that users write on their Go types, and reads them. It
// knows their names, the places where they may stand, the form of their values and their
// meaning.
//
// A tag is a comment line that starts with a plus sign, like "// +k8s:deepcopy-gen=package". A
// plug-in declares the tags that it reads (Definition). The tags that tools of the Kubernetes world
// read are in Sections, a file for each family, so that they are not mistaken for typing errors.
// Table joins both, judges a line (Check), with a suggestion, and prints the reference page
// (Markdown). Reading is done by Values and Parse (the grammar of gengo's codetags) and, for
// markers of the kubebuilder form "name:key=value,key=value", by Arguments.
//
// Start reading at Definition. The package never looks at Go types or files.
package tag

import "strings"

// Scope is where a tag may stand; scopes are joined with |.
type Scope uint

const (
	Package Scope = 1 << iota // doc.go, or a comment above a package clause
	Type                      // a type declaration
	Field                     // a struct field
	Func                      // a function
	Value                     // a constant or variable
	Method                    // a method
	// Anywhere means that nothing is checked.
	Anywhere Scope = 0
)

// String names the scopes as an error message says them: "package", "type or field".
func (s Scope) String() string {
	var names []string
	for i, name := range []string{"package", "type", "field", "function", "constant or variable", "method"} {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "anywhere"
	}
	return strings.Join(names, " or ")
}

// ValueType is what the text behind the equals sign is.
type ValueType string

const (
	None        ValueType = ""                     // no value
	Bool        ValueType = "true|false"           //
	Flag        ValueType = "nothing, true, false" // nothing means true
	String      ValueType = "text"                 //
	Int         ValueType = "integer"              //
	Number      ValueType = "number"               //
	JSON        ValueType = "JSON"                 //
	Name        ValueType = "word"                 // one of Values, or of a set that Doc names
	PackagePath ValueType = "import path"          // a package that the loader loads too
	TypeName    ValueType = "path.TypeName"        // a type whose package the loader loads too
	Tag         ValueType = "+tag"                 // another tag
	Fields      ValueType = "key=value,…"          // the kubebuilder form: +name:key=value,key=value
	Any         ValueType = "as described"         // not checked; Doc says what
)

// Definition describes one tag.
type Definition struct {
	// Name is what stands behind the plus sign, up to arguments and value: "k8s:deepcopy-gen".
	Name string
	// Scope says where it may stand.
	Scope Scope
	// Value says what stands behind the equals sign.
	Value ValueType
	// Doc is one sentence for the reference page.
	Doc string
	// Example is a whole tag as one would write it.
	Example string

	// Values are the only words that a Name may be; none: a plug-in knows.
	Values []string
	// Keys are those of Fields; none: they are not checked.
	Keys []string
	// Args describes arguments in parentheses: "(field)" has to be there, "[(name)]" may be, ""
	// must not.
	Args string
	// Below tells that names which continue this one after a colon belong to it; they always do
	// with Fields.
	Below bool
	// Same names a family whose tags may follow after a colon: +kubebuilder:validation:items takes
	// those of kubebuilder:validation.
	Same string
}
