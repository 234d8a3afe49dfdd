package typescript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	gotypes "go/types"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Tags that say what a value is in JSON, whatever its Go type.
const (
	tagType        = "kubebuilder:validation:Type"
	tagIntOrString = "kubebuilder:validation:XIntOrString"
	tagSchemaless  = "kubebuilder:validation:Schemaless"
	tagEnumValues  = "kubebuilder:validation:Enum"
	tagItemsValues = "kubebuilder:validation:items:Enum"
)

// place is where a type is used: what problems are about.
type place struct {
	owner  *types.Type // the struct, nil for none
	member string
	path   string
}

// decl plans the declaration of a type.
func (p *planner) decl(t *types.Type) decl {
	out := decl{of: t, doc: p.read.Doc(t), params: typeParams(t)}
	if known, ok := knownTypes[t.Name.String()]; ok {
		out.doc, out.is = []string{known.doc}, known.is(t)
		return out
	}
	if is, ok := p.ownJSON(t, place{owner: t, path: t.Name.Name}); ok {
		out.is = is
		return out
	}
	if values := p.read.Enum(t); len(values) > 0 {
		out.values = valuesOf(values)
		return out
	}
	if t.Kind == types.Struct {
		out.object = p.object(t, t.Name.Name)
		return out
	}
	if after := p.from.NamedAfter(t); after != nil && !p.writesOwnJSON(after) {
		out.is = p.use(after, place{owner: t, path: t.Name.Name})
		return out
	}
	out.is = p.literal(t, place{owner: t, path: t.Name.Name})
	return out
}

// typeParams are the names of those of a generic type, in their order.
func typeParams(t *types.Type) (out []string) {
	named, ok := t.GoType.(*gotypes.Named)
	if !ok {
		return nil
	}
	for i := range named.TypeParams().Len() {
		out = append(out, named.TypeParams().At(i).Obj().Name())
	}
	return out
}

// use is a type where it is used: by its name, if it has one.
func (p *planner) use(t *types.Type, at place) expr {
	t = model.Pointee(t)
	named, ok := t.GoType.(*gotypes.Named)
	switch {
	case t.Kind == types.TypeParam:
		return expr{text: t.Name.Name}
	case t.Name.Package == "" || !ok, t.Kind == types.Interface, t.Kind == types.Func, t.Kind == types.Chan:
		return p.literal(t, at)
	case standard[t.Name.String()] != "":
		return expr{text: standard[t.Name.String()]}
	case named.TypeArgs().Len() == 0:
		p.declare(t)
		out := expr{ref: t}
		for _, param := range typeParams(t) { // a generic type within itself
			out.args = append(out.args, expr{text: param})
		}
		return out
	}
	generic := p.from.TypeOf(named.Origin())
	p.declare(generic)
	out := expr{ref: generic}
	for i := range named.TypeArgs().Len() {
		out.args = append(out.args, p.use(p.from.TypeOf(named.TypeArgs().At(i)), at))
	}
	return out
}

// standard are types of Go's library that have no name in TypeScript.
var standard = map[string]string{
	"time.Time": "string", "encoding/json.RawMessage": "unknown", "encoding/json.Number": "number",
}

// literal is what a type is made of.
func (p *planner) literal(t *types.Type, at place) expr {
	switch t.Kind {
	case types.Alias:
		return p.literal(t.Underlying, at)
	case types.Builtin:
		return p.builtin(t, at)
	case types.Struct:
		return expr{object: p.object(t, at.path)}
	case types.Slice:
		if isByte(t.Elem) {
			return expr{text: "string"}
		}
		elem := p.use(t.Elem, at)
		return expr{list: &elem}
	case types.Array:
		elem := p.use(t.Elem, at)
		return expr{list: &elem}
	case types.Map:
		if key := model.Plain(t.Key); (key.Kind != types.Builtin || isOneOf(key, "bool", "float32", "float64")) && !hasText(t.Key) {
			p.problem(at, fmt.Sprintf("a map with keys of type %s can't be written as JSON", t.Key), "use keys of type string")
		}
		elem := p.use(t.Elem, at)
		return expr{values: &elem}
	case types.Interface:
		return expr{text: "unknown"}
	}
	p.problem(at, fmt.Sprintf("values of type %s can't be written as JSON", t), `leave it out with json:"-"`)
	return expr{text: "unknown"}
}

func (p *planner) builtin(t *types.Type, at place) expr {
	switch name := t.Name.Name; {
	case name == "string":
		return expr{text: "string"}
	case name == "bool":
		return expr{text: "boolean"}
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "uint"), strings.HasPrefix(name, "float"), name == "byte":
		return expr{text: "number"}
	}
	p.problem(at, fmt.Sprintf("values of type %s can't be written as JSON", t), "use an integer, a float, a bool or a string")
	return expr{text: "unknown"}
}

// isByte tells whether a list of a type is written as base64.
func isByte(t *types.Type) bool {
	return isOneOf(model.Underlying(t), "byte", "uint8") && t.Methods["MarshalJSON"] == nil && t.Methods["MarshalText"] == nil
}

func isOneOf(t *types.Type, names ...string) bool {
	return t.Kind == types.Builtin && slices.Contains(names, t.Name.Name)
}

func hasText(t *types.Type) bool { return t.Methods["MarshalText"] != nil }

// ownJSON is what a type is whose fields do not say it: by a marker, or since its own code writes
// its JSON. ok is false for all others.
func (p *planner) ownJSON(t *types.Type, at place) (is expr, ok bool) {
	if is, ok := p.told(p.from.OfType(t), t); ok {
		return is, true
	}
	switch {
	case t.Methods["MarshalJSON"] != nil:
		p.unknown(t, at)
		return expr{text: "unknown"}, true
	case hasText(t):
		return expr{text: "string"}, true
	}
	for _, m := range t.Members { // a struct has the methods of what it embeds
		if m.Embedded && model.JSONOf(m).Name == "" && !model.LeftOut(m) && p.writesOwnJSON(model.Pointee(m.Type)) {
			return p.use(m.Type, at), true
		}
	}
	return expr{}, false
}

// writesOwnJSON tells whether the fields of a type do not say what it looks like. A struct has the
// methods of what it embeds, within other structs (within), too.
func (p *planner) writesOwnJSON(t *types.Type, within ...*types.Type) bool {
	switch {
	case t.Kind == types.Interface || slices.Contains(within, t):
		return false
	case isKnown(t) || standard[t.Name.String()] != "" || t.Methods["MarshalJSON"] != nil || hasText(t):
		return true
	}
	return slices.ContainsFunc(t.Members, func(m types.Member) bool {
		return m.Embedded && model.JSONOf(m).Name == "" && p.writesOwnJSON(model.Pointee(m.Type), append(within, t)...)
	})
}

func isKnown(t *types.Type) bool {
	_, ok := knownTypes[t.Name.String()]
	return ok
}

// unknown warns of a type about which nobody says what it is.
func (p *planner) unknown(t *types.Type, at place) {
	if p.ours(t) {
		p.report.Warn(diag.Problem{
			Pos: p.from.TypePos(t), Path: t.Name.Name, Message: "it has a MarshalJSON, so it is unknown in TypeScript",
			Cure: "say above the type what its JSON is, like +" + tagType + "=string",
		})
	}
}

// told is what markers say of a value in JSON, if that is something else than its Go type says.
func (p *planner) told(markers model.Markers, t *types.Type) (is expr, ok bool) {
	kind, _ := markers.Last(tagType)
	kind = strings.Trim(kind, `"`)
	switch {
	case markers.On(tagIntOrString):
		return expr{text: "number | string"}, true
	case markers.On(tagSchemaless):
		return expr{text: "unknown"}, true
	case kind == "" || kind == p.jsonKind(t), isKnown(model.Pointee(t)) && kind != "object":
		return expr{}, false
	}
	switch kind {
	case "string", "boolean", "number":
		return expr{text: kind}, true
	case "integer":
		return expr{text: "number"}, true
	case "array":
		return expr{list: &expr{text: "unknown"}}, true
	case "object":
		return expr{values: &expr{text: "unknown"}}, true
	}
	return expr{}, false // what else it says is for the generator of schemas to judge
}

// jsonKind is the JSON type of what is printed for a type without markers; "" if there is more to
// say.
func (p *planner) jsonKind(t *types.Type) string {
	t = model.Pointee(t)
	plain := model.Plain(t)
	switch {
	case p.writesOwnJSON(t):
		return ""
	case plain.Kind == types.Struct || plain.Kind == types.Map:
		return "object"
	case plain.Kind == types.Slice && isByte(plain.Elem) || isOneOf(plain, "string"):
		return "string"
	case plain.Kind == types.Slice || plain.Kind == types.Array:
		return "array"
	case isOneOf(plain, "bool"):
		return "boolean"
	case isOneOf(plain, "float32", "float64"):
		return "number"
	case plain.Kind == types.Builtin:
		return "integer"
	}
	return ""
}

// valuesOf are values of JSON in TypeScript.
func valuesOf(values []model.Value) []value {
	var out []value
	for _, v := range values {
		text := v.JSON
		var s string
		if json.Unmarshal([]byte(v.JSON), &s) == nil {
			text = quoted(s)
		}
		out = append(out, value{text, v.Doc})
	}
	return out
}

// problem reports what is wrong at a place. Types of other modules are printed as they are: nobody
// can mend them here.
func (p *planner) problem(at place, message, cure string) {
	if at.owner == nil || p.ours(at.owner) {
		p.report.Add(diag.Problem{Pos: p.posOf(at), Path: at.path, Message: message, Cure: cure})
	}
}

func (p *planner) posOf(at place) token.Position {
	switch {
	case at.owner == nil:
		return token.Position{}
	case at.member == "":
		return p.from.TypePos(at.owner)
	}
	return p.from.MemberPos(at.owner, at.member)
}

// ours says whether a type belongs to the main module; a struct without a name does if it is looked
// at.
func (p *planner) ours(t *types.Type) bool {
	pkg := p.from.Package(t.Name.Package)
	return t.Name.Package == "" || pkg != nil && pkg.Main
}

// withoutTags are lines of a comment without tags.
func withoutTags(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasPrefix(cmp.Or(strings.TrimSpace(line), " "), "+") })
}
