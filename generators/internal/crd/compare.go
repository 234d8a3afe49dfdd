package crd

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

// compareDefinitions reports where a definition in a file differs from the definition that the
// types make.
func compareDefinitions(report *diag.Report, k kind, d *written) {
	c := comparer{report: report, file: d.file, kind: k}
	ours, theirs := k.definition.Spec, d.Spec
	c.at = openapi.Field{Pos: k.Versions[0].Pos, Path: k.GroupKind.Kind}
	c.values("spec.names", ours.Names, theirs.Names)
	c.values("spec.scope", ours.Scope, theirs.Scope)
	versions := func(s spec) map[string]version {
		out := map[string]version{}
		for _, v := range s.Versions {
			out[v.Name] = v
		}
		return out
	}
	mine, others := versions(ours), versions(theirs)
	for _, name := range bothKeys(mine, others) {
		a, here := mine[name]
		b, there := others[name]
		path := "spec.versions[" + name + "]"
		switch {
		case !there:
			c.differ(path, "it has no version "+name+", and the types have", "take the package of the version away, or print the definition anew")
		case !here:
			c.differ(path, "it has a version "+name+", and the types have none", "name the package of the version to gen too")
		default:
			c.version(path, a, b)
		}
	}
}

// comparer compares one definition.
type comparer struct {
	report *diag.Report
	file   string
	kind   kind
	// fields are those that the schema at work comes from, at is where a difference is told.
	fields map[string]openapi.Field
	at     openapi.Field
}

func (c *comparer) differ(path, message, cure string) {
	c.report.Add(diag.Problem{Pos: c.at.Pos, Path: c.at.Path, Message: fmt.Sprintf("%s: %s: %s", c.file, path, message), Cure: cure})
}

// cure is what helps against most differences.
const cure = "change the types, or print the definition anew with +" + tagName

// version compares two versions.
func (c *comparer) version(path string, ours, theirs version) {
	for _, v := range c.kind.Versions {
		if v.Version == ours.Name {
			c.at = openapi.Field{Pos: v.Pos, Path: c.kind.GroupKind.Kind}
		}
	}
	for i := range ours.Columns {
		ours.Columns[i].Description = ""
	}
	for i := range theirs.Columns {
		theirs.Columns[i].Description = ""
	}
	empty := func(s *subresources) *subresources {
		if s == nil {
			return new(subresources)
		}
		return s
	}
	c.values(path+".served", ours.Served, theirs.Served)
	c.values(path+".storage", ours.Storage, theirs.Storage)
	c.values(path+".deprecated", ours.Deprecated, theirs.Deprecated)
	c.values(path+".additionalPrinterColumns", ours.Columns, theirs.Columns)
	c.values(path+".selectableFields", ours.SelectableFields, theirs.SelectableFields)
	c.values(path+".subresources", empty(ours.Subresources), empty(theirs.Subresources))
	c.fields = c.kind.schemas[ours.Name].Fields
	c.schemas(path+".schema.openAPIV3Schema", "", tree(ours.Schema.OpenAPIV3Schema), tree(theirs.Schema.OpenAPIV3Schema))
}

// values compares what stands in a definition as it is.
func (c *comparer) values(path string, ours, theirs any) {
	if a, b := shown(ours), shown(theirs); a != b {
		c.differ(path, fmt.Sprintf("it is %s there, and %s by the types", b, a), cure)
	}
}

// described are the parts of a schema that say nothing of which values are allowed.
var described = []string{"description", "title", "example", "externalDocs"}

// schemas compares two schemas: path is where they are in the definition, within where they are in
// the schema of the kind.
func (c *comparer) schemas(path, within string, ours, theirs map[string]any) {
	if f, ok := c.fields[within]; ok {
		outer := c.at
		c.at = f
		defer func() { c.at = outer }()
	}
	ours, theirs = plain(ours), plain(theirs)
	for _, name := range bothKeys(ours, theirs) {
		a, here := ours[name]
		b, there := theirs[name]
		switch at := path + "." + name; {
		case slices.Contains(described, name):
		case name == "properties":
			c.properties(at, join(within, name), asMap(a), asMap(b))
		case (name == "items" || name == "additionalProperties") && isMap(a) && isMap(b):
			c.schemas(at, join(within, name), asMap(a), asMap(b))
		case name == "required":
			c.required(at, a, b)
		case !there:
			c.differ(at, "it is not there, and "+shown(a)+" by the types", cure)
		case !here:
			c.differ(at, "it is "+shown(b)+" there, and the types don't say so", cure)
		default:
			c.values(at, a, b)
		}
	}
}

// properties compares the properties of two objects.
func (c *comparer) properties(path, within string, ours, theirs map[string]any) {
	for _, name := range bothKeys(ours, theirs) {
		a, here := ours[name]
		b, there := theirs[name]
		switch at := path + "." + name; {
		case !there:
			outer := c.at
			c.at = c.fields[join(within, name)]
			c.differ(at, "there is no such property, and the types have the field", cure)
			c.at = outer
		case !here:
			c.differ(at, "the property is there, and the types have no such field", cure)
		default:
			c.schemas(at, join(within, name), asMap(a), asMap(b))
		}
	}
}

// required compares which properties have to be there.
func (c *comparer) required(path string, ours, theirs any) {
	names := func(list any) map[string]bool {
		out := map[string]bool{}
		items, _ := list.([]any)
		for _, item := range items {
			out[fmt.Sprint(item)] = true
		}
		return out
	}
	mine, others := names(ours), names(theirs)
	for _, name := range bothKeys(mine, others) {
		switch {
		case !others[name]:
			c.differ(path, name+" is not required there, and by the types it is", "say +optional above the field, or print the definition anew with +"+tagName)
		case !mine[name]:
			c.differ(path, name+" is required there, and not by the types", "say +required above the field, or print the definition anew with +"+tagName)
		}
	}
}

// plain is a schema with the limits of the branches of its allOf among its own, the stricter one of
// two, and with lists whose order says nothing in order.
func plain(s map[string]any) map[string]any {
	out := maps.Clone(s)
	branches, _ := s["allOf"].([]any)
	delete(out, "allOf")
	for _, branch := range branches {
		for name, value := range plain(asMap(branch)) {
			out[name] = stricter(name, out[name], value)
		}
	}
	for _, name := range []string{"enum", "x-kubernetes-validations", "x-kubernetes-list-map-keys"} {
		if list, ok := out[name].([]any); ok {
			list = slices.Clone(list)
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(shown(a), shown(b)) })
			out[name] = list
		}
	}
	return out
}

// stricter is what two limits of a name come to.
func stricter(name string, a, b any) any {
	x, isNumber := a.(float64)
	y, alsoNumber := b.(float64)
	switch {
	case a == nil || shown(a) == shown(b):
		return b
	case isNumber && alsoNumber && strings.HasPrefix(name, "max"):
		return min(x, y)
	case isNumber && alsoNumber && strings.HasPrefix(name, "min"):
		return max(x, y)
	}
	both := []string{shown(a), shown(b)}
	slices.Sort(both)
	return strings.Join(both, " and ")
}

func bothKeys[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func join(within, name string) string { return strings.TrimPrefix(within+"."+name, ".") }

func isMap(v any) bool { _, ok := v.(map[string]any); return ok }

// asMap is v if it is an object, else one without properties.
func asMap(v any) map[string]any { m, _ := v.(map[string]any); return m }

// shown is a value as JSON.
func shown(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible: it was JSON
	}
	return string(text)
}

func tree(text json.RawMessage) map[string]any {
	var out map[string]any
	_ = json.Unmarshal(text, &out) // a version without a schema has none
	return out
}
