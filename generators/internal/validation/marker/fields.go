package marker

import (
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/cel"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// fieldsIn is what markers say of the fields in a type, at any depth, that its Go types do not show
// and that matters in CEL. A text with a format may be a time, and lists with keys have no order.
func fieldsIn(p *rule.Planner, t *types.Type) []cel.Field {
	var out []cel.Field
	seen := map[*types.Type]bool{}
	var walk func(*types.Type)
	walk = func(t *types.Type) {
		switch n := shape.Bare(t); {
		case n.Kind == types.Slice || n.Kind == types.Array || n.Kind == types.Map:
			walk(n.Elem)
		case n.Kind == types.Struct && !seen[n] && !shape.OwnJSON(n):
			seen[n] = true
			p.ReadComments(n.Name.Package)
			for _, m := range n.Members {
				if f := fieldOf(p, n, m); f.Type+f.Format+f.ListType != "" {
					out = append(out, f)
				}
				walk(m.Type)
			}
		}
	}
	walk(t)
	return out
}

// fieldOf is what the markers of a field say, and else those of its type.
func fieldOf(p *rule.Planner, owner *types.Type, m types.Member) cel.Field {
	f := cel.Field{Of: owner.Name.Package + "." + owner.Name.Name + "." + m.Name}
	addMarkers(&f, p.Model.OfField(owner, m.Name))
	for _, of := range p.Model.NamedChain(model.Pointee(m.Type)) {
		addMarkers(&f, p.Model.OfType(of))
	}
	if f.ListType == "atomic" {
		f.ListType = ""
	}
	return f
}

// addMarkers adds what markers say that is not known yet.
func addMarkers(f *cel.Field, markers model.Markers) {
	set := func(to *string, names ...string) {
		for _, name := range names {
			if value, ok := markers.Last(name); ok && *to == "" {
				*to = unquoted(value)
			}
		}
	}
	set(&f.Type, rule.Kubebuilder+"Type", rule.OpenAPI+"type")
	set(&f.Format, rule.Kubebuilder+"Format", rule.OpenAPI+"format")
	before := f.ListType
	set(&f.ListType, "listType", "k8s:listType")
	if before == "" && f.ListType == "map" {
		f.MapKeys = slices.Concat(markers.Values("listMapKey"), markers.Values("k8s:listMapKey"))
	}
}
