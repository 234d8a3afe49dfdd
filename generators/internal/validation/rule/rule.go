// Package rule says what a rule of validation is: a tag, the places where it may stand, and a
// function that plans it. Planner.PlansOf reads the tags of a place and plans them, under the
// law that holds there. The rules themselves are in packages declarative and marker.
//
// Start reading at Rule and Site, then read.go; law.go says which tags count where.
package rule

import (
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// Scope is where a rule may stand, finer than a comment's place: a tag inside another one stands on
// what that is about.
type Scope uint

const (
	OnType Scope = 1 << iota
	OnField
	OnItem // values of a list
	OnKey  // keys of a map
	OnValue
	OnConst

	OnAny   = OnType | OnField | OnItem | OnKey | OnValue
	OnLists = OnAny
)

// String names the scopes as a problem says them.
func (s Scope) String() string {
	var names []string
	for i, name := range []string{"a type", "a field", "the items of a list", "the keys of a map", "the values of a map", "a constant"} {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// Payload is what stands behind the equals sign of a rule.
type Payload string

const (
	None     Payload = ""
	Text     Payload = "string"
	OptText  Payload = "optional string" // may be missing
	Flag     Payload = "true or false"   // may be missing, which means true
	Integer  Payload = "integer"
	AnyValue Payload = "value" // of any type, as written
	InnerTag Payload = "+tag"
	Words    Payload = "text"        // all to the end of the line, quotes taken off
	Fields   Payload = "key=value,…" // the kubebuilder form
)

// Argument is something in the parentheses behind the name of a rule; Name is "" for the one
// without a name.
type Argument struct {
	Name     string
	Required bool
}

// Rule is one tag, as data.
type Rule struct {
	Name   string
	Scopes Scope
	Value  Payload
	Args   []Argument
	// AnyArgs allows arguments of any name.
	AnyArgs bool
	// Doc is one sentence for the reference page, Example a tag as it may be written.
	Doc, Example string
	// Plan says what the tag asks for at a place.
	Plan func(p *Planner, s *Site, t codetags.Tag) (plan.Plan, error)
}

// definition is the rule as the table of tags has it.
func (r Rule) definition() tag.Definition {
	d := tag.Definition{Name: r.Name, Doc: r.Doc, Example: r.Example, Args: r.shownArgs()}
	if r.Scopes&OnType != 0 {
		d.Scope |= tag.Type
	}
	if r.Scopes&(OnField|OnItem|OnKey|OnValue) != 0 {
		d.Scope |= tag.Field
	}
	if r.Scopes&OnConst != 0 {
		d.Scope |= tag.Value
	}
	switch r.Value {
	case Text, Words:
		d.Value = tag.String
	case OptText:
		d.Value = tag.Any
	case Flag:
		d.Value = tag.Flag
	case Integer:
		d.Value = tag.Int
	case AnyValue:
		d.Value = tag.Any
	case InnerTag:
		d.Value = tag.Tag
	case Fields:
		d.Value = tag.Fields
	}
	return d
}

// shownArgs describes the arguments as the table of tags has them.
func (r Rule) shownArgs() string {
	var shown []string
	required := false
	for _, a := range r.Args {
		required = required || a.Required
		if a.Name == "" {
			shown = append(shown, "name")
		} else {
			shown = append(shown, a.Name+": text")
		}
	}
	text := "(" + strings.Join(shown, ", ") + ")"
	switch {
	case r.AnyArgs:
		return "(key: value, …)"
	case len(shown) == 0:
		return ""
	case required:
		return text
	}
	return "[" + text + "]"
}

// Site is a place where rules hold: a type, a field, the items of a list, …
type Site struct {
	Scope Scope
	// Type is the type of what is validated; it may be a pointer or a declared name.
	Type *types.Type
	// Path tells the site from all others: "example.com/v1.BookSpec.title".
	Path string
	// Member is the field, if the site is one.
	Member *types.Member
	// Selector says which items of a list are meant; empty means all.
	Selector []Pair
	// ParentPath and ParentType are the struct, list or map around it.
	ParentPath string
	ParentType *types.Type
	// Constants are those of the type, if the site is a type.
	Constants []Constant
	// Level is that of the rule that the tag is part of.
	Level string
	// Origin is where the comment stands.
	Origin Origin
	// MarkerPrefix is what markers about this site have in front of their names: "items:".
	MarkerPrefix string
}

// Origin is where markers stand in the source.
type Origin struct {
	// Owner is the declared type, Field the field in it; "" is the type itself.
	Owner   *types.Type
	Field   string
	Markers model.Markers
}

// Inside is a site for a part of this one, like the items of a list.
func (s *Site) Inside(sc Scope, t *types.Type, step string) *Site {
	return &Site{
		Scope: sc, Type: t, Path: s.Path + step, ParentPath: s.Path, ParentType: s.Type, Level: s.Level, Origin: s.Origin,
		MarkerPrefix: s.MarkerPrefix,
	}
}

// Pair is a key of an item and its value: a string, an int or a bool.
type Pair struct {
	Name  string
	Value any
}
