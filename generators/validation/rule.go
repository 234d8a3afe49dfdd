package validation

import (
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/model"
	"github.com/typeplane/typeplane/generators/tag"
)

// scope is where a rule may stand, finer than a comment's place: a tag inside another one stands on what that is about.
type scope uint

const (
	onType scope = 1 << iota
	onField
	onItem // values of a list
	onKey  // keys of a map
	onValue
	onConst

	onAny   = onType | onField | onItem | onKey | onValue
	onLists = onAny
)

// String names the scopes as a problem says them.
func (s scope) String() string {
	var names []string
	for i, name := range []string{"a type", "a field", "the items of a list", "the keys of a map", "the values of a map", "a constant"} {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// payload is what stands behind the equals sign of a rule.
type payload string

const (
	none     payload = ""
	text     payload = "string"
	optText  payload = "optional string" // may be missing
	flag     payload = "true or false"   // may be missing, which means true
	integer  payload = "integer"
	anyValue payload = "value" // of any type, as written
	innerTag payload = "+tag"
	words    payload = "text"        // all to the end of the line, quotes taken off
	fields   payload = "key=value,…" // the kubebuilder form
)

// argument is something in the parentheses behind the name of a rule; name is "" for the one without a name.
type argument struct {
	name     string
	required bool
}

// rule is one tag, as data.
type rule struct {
	name   string
	scopes scope
	value  payload
	args   []argument
	// anyArgs allows arguments of any name.
	anyArgs bool
	// doc is one sentence for the reference page, example a tag as it may be written.
	doc, example string
	// plan says what the tag asks for at a place.
	plan func(p *planner, s *site, t codetags.Tag) (plan, error)
}

// definition is the rule as the table of tags has it.
func (r rule) definition() tag.Definition {
	d := tag.Definition{Name: r.name, Doc: r.doc, Example: r.example, Args: r.shownArgs()}
	if r.scopes&onType != 0 {
		d.Scope |= tag.Type
	}
	if r.scopes&(onField|onItem|onKey|onValue) != 0 {
		d.Scope |= tag.Field
	}
	if r.scopes&onConst != 0 {
		d.Scope |= tag.Value
	}
	switch r.value {
	case text, words:
		d.Value = tag.String
	case optText:
		d.Value = tag.Any
	case flag:
		d.Value = tag.Flag
	case integer:
		d.Value = tag.Int
	case anyValue:
		d.Value = tag.Any
	case innerTag:
		d.Value = tag.Tag
	case fields:
		d.Value = tag.Fields
	}
	return d
}

// shownArgs describes the arguments as the table of tags has them.
func (r rule) shownArgs() string {
	var shown []string
	required := false
	for _, a := range r.args {
		required = required || a.required
		if a.name == "" {
			shown = append(shown, "name")
		} else {
			shown = append(shown, a.name+": text")
		}
	}
	text := "(" + strings.Join(shown, ", ") + ")"
	switch {
	case r.anyArgs:
		return "(key: value, …)"
	case len(shown) == 0:
		return ""
	case required:
		return text
	}
	return "[" + text + "]"
}

// site is a place where rules hold: a type, a field, the items of a list, …
type site struct {
	scope scope
	// typ is the type of what is validated; it may be a pointer or a declared name.
	typ *types.Type
	// path tells the site from all others: "example.com/v1.BookSpec.title".
	path string
	// member is the field, if the site is one.
	member *types.Member
	// selector says which items of a list are meant; empty means all.
	selector []pair
	// parentPath and parentType are the struct, list or map around it.
	parentPath string
	parentType *types.Type
	// constants are those of the type, if the site is a type.
	constants []constant
	// level is that of the rule that the tag is part of.
	level string
	// origin is where the comment stands.
	origin origin
	// markerPrefix is what markers about this site have in front of their names: "items:".
	markerPrefix string
}

// origin is where markers stand in the source.
type origin struct {
	// owner is the declared type, field the field in it; "" is the type itself.
	owner   *types.Type
	field   string
	markers model.Markers
}

// inside is a site for a part of this one, like the items of a list.
func (s *site) inside(sc scope, t *types.Type, step string) *site {
	return &site{
		scope: sc, typ: t, path: s.path + step, parentPath: s.path, parentType: s.typ, level: s.level, origin: s.origin,
		markerPrefix: s.markerPrefix,
	}
}

// constant is a constant of a type with its tags.
type constant struct {
	def  *types.Type
	tags []codetags.Tag
}

// fault says what is wrong with a tag, and the cure.
type fault struct{ message, cure string }

func (f fault) Error() string {
	if f.cure == "" {
		return f.message
	}
	return f.message + "; " + f.cure
}
