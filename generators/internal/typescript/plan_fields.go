package typescript

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// object is what a struct is in JSON: its fields, and the structs whose fields it has besides.
func (p *planner) object(t *types.Type, path string) *object {
	out := &object{}
	hidden := p.hidden(t, path)
	for i, m := range t.Members {
		inner := p.inlined(m)
		switch {
		case model.LeftOut(m):
		case inner != nil && p.isWithin(inner, t): // JSON sees its fields once
		case inner != nil:
			is := p.use(inner, place{t, m.Name, path + "." + m.Name})
			is.omit, is.partial = hidden[i], m.Type.Kind == types.Pointer
			out.extends = append(out.extends, is)
		case hidden[i] == nil:
			out.fields = append(out.fields, p.field(t, m, path))
		}
	}
	return out
}

// inlined is the struct whose fields an embedded field adds; nil for other fields.
func (p *planner) inlined(m types.Member) *types.Type {
	inner := model.Inlined(m)
	if inner == nil || p.writesOwnJSON(inner) {
		return nil
	}
	return inner
}

// isWithin tells whether a struct embeds another one, or is it.
func (p *planner) isWithin(t, other *types.Type, seen ...*types.Type) bool {
	if t == other {
		return true
	}
	return !slices.Contains(seen, t) && slices.ContainsFunc(t.Members, func(m types.Member) bool {
		inner := p.inlined(m)
		return inner != nil && p.isWithin(inner, other, append(seen, t)...)
	})
}

// hidden are the JSON names of a struct's members that another member of it hides, by the place of
// the member. The least deep one counts, and none of two that are as deep.
func (p *planner) hidden(t *types.Type, path string) map[int][]string {
	depths := make([]map[string]int, len(t.Members))
	best, winners := map[string]int{}, map[string]int{}
	for i, m := range t.Members {
		depths[i] = p.depths(m, []*types.Type{t})
		for name, depth := range depths[i] {
			switch least, taken := best[name]; {
			case !taken || depth < least:
				best[name], winners[name] = depth, 1
			case depth == least:
				winners[name]++
			}
		}
	}
	out := map[int][]string{}
	for i, m := range t.Members {
		for name, depth := range depths[i] {
			switch {
			case depth == best[name] && winners[name] == 1:
				continue
			case depth == best[name]:
				p.problem(place{t, m.Name, path + "." + m.Name}, fmt.Sprintf("JSON has two fields %q here, so it holds neither", name), "give one of them another name")
			}
			out[i] = append(out[i], name)
		}
		slices.Sort(out[i])
	}
	return out
}

// depths are the JSON names that a member has, with how many embedded structs they lie in.
func (p *planner) depths(m types.Member, within []*types.Type) map[string]int {
	inner := p.inlined(m)
	switch {
	case model.LeftOut(m):
		return nil
	case inner == nil:
		return map[string]int{cmp.Or(model.JSONOf(m).Name, m.Name): 0}
	case slices.Contains(within, inner):
		return nil
	}
	out := map[string]int{}
	for _, m := range inner.Members {
		for name, depth := range p.depths(m, append(within, inner)) {
			if known, ok := out[name]; !ok || depth+1 < known {
				out[name] = depth + 1
			}
		}
	}
	return out
}

// field is one field, with what tags say of it.
func (p *planner) field(owner *types.Type, m types.Member, path string) field {
	read, markers := p.read.Field(owner, m), p.from.OfField(owner, m.Name)
	out := field{doc: read.Doc, name: read.Name, optional: !p.required(owner, m, read)}
	switch is, told := p.told(markers, m.Type); {
	case told:
		out.is = is
	case model.JSONOf(m).Quoted && model.Plain(m.Type).Kind == types.Builtin:
		out.is = expr{text: "string"}
	case markers.Has(tagEnumValues) || markers.Has(tagItemsValues):
		out.is = p.oneOf(m.Type, valuesOf(read.Enum))
	default:
		out.is = p.use(m.Type, place{owner, m.Name, path + "." + m.Name})
	}
	out.is.null = read.Nullable || p.isNull(m) && !isRequired(markers) && !isItems(owner, read.Name)
	return out
}

// oneOf is a value of a set, or a list of such.
func (p *planner) oneOf(t *types.Type, values []value) expr {
	is := expr{text: union(values)}
	if plain := model.Plain(t); plain.Kind == types.Slice || plain.Kind == types.Array {
		return expr{list: &is}
	}
	return is
}

// required tells whether JSON always has a field. Servers always send the metadata of an object or
// list, and the items of a list, whatever is said of them.
func (p *planner) required(owner *types.Type, m types.Member, read *model.Field) bool {
	if isMetadata(owner, m) || isItems(owner, read.Name) {
		return true
	}
	if pkg := p.from.Package(owner.Name.Package); pkg != nil && p.from.OfPackage(pkg).On("kubebuilder:validation:Optional") {
		return isRequired(p.from.OfField(owner, m.Name))
	}
	return read.Required
}

// isRequired tells whether a tag says that a field has to be sent.
func isRequired(markers model.Markers) bool {
	return slices.ContainsFunc([]string{"required", "k8s:required", "kubebuilder:validation:Required"}, markers.On)
}

// isMetadata tells whether a field is the metadata of an object or a list.
func isMetadata(owner *types.Type, m types.Member) bool {
	return model.Embeds(owner, "TypeMeta") && m.Type.Name.Package == metaV1 && slices.Contains([]string{"ObjectMeta", "ListMeta"}, m.Type.Name.Name)
}

// isItems tells whether a field is the objects of a list, which servers never send as null.
func isItems(owner *types.Type, name string) bool {
	return name == "items" && model.Embeds(owner, "ListMeta")
}

// isNull tells whether a field that holds nothing is written as null.
func (p *planner) isNull(m types.Member) bool {
	j, t := model.JSONOf(m), m.Type
	switch name := t.Name; {
	case j.OmitZero:
		return false
	case name.Package == metaV1 && (name.Name == "Time" || name.Name == "MicroTime"):
		return true // omitempty does not leave a struct out
	case j.OmitEmpty:
		return false
	}
	kind := model.Underlying(t).Kind
	return kind == types.Pointer || kind == types.Slice || kind == types.Map
}
