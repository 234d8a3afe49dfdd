package marker

import (
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

const (
	Required = rule.Kubebuilder + "Required"
	Optional = rule.Kubebuilder + "Optional"
)

// PackageTags are the two markers where they stand on a package.
var PackageTags = []tag.Definition{
	{Name: Required, Scope: tag.Package, Value: tag.Flag},
	{Name: Optional, Scope: tag.Package, Value: tag.Flag},
}

// OwnPresence are tags by which a field says itself whether it may be left out, and which have
// rules of their own.
var OwnPresence = []string{"k8s:required", "k8s:optional", "k8s:forbidden", Required, Optional}

// PresenceAround is the marker that holds for a field without a tag of its own. Where a server of
// the run serves the field, kube-openapi's +required and +optional mean the same as such a tag.
// What the package says comes after them. It is "" if nothing is said. A field that clients leave
// out (omitempty) says by that more than its package, and an embedded struct has no name to leave
// out.
func PresenceAround(p *rule.Planner, s *rule.Site) string {
	pkg := p.Model.Package(s.ParentType.Name.Package)
	own := slices.ContainsFunc(OwnPresence, func(own string) bool { return rule.HasRule(s, own) })
	switch {
	case pkg == nil || !pkg.Main && p.Law != rule.OfResources || p.Law == rule.OfKubernetes || own || shape.JSONName(*s.Member) == "":
		return ""
	case rule.HasRule(s, "optional"):
		return Optional
	case rule.HasRule(s, "required"):
		if p.Law == rule.OfResources {
			return Required
		}
		return ""
	case shape.Omitted(*s.Member):
		return ""
	case p.Model.OfPackage(pkg).On(Optional):
		return Optional
	case p.Model.OfPackage(pkg).On(Required):
		return Required
	}
	return ""
}

// PresenceOf is what the field has to be there for, if it does not say so by a rule of its own.
func PresenceOf(p *rule.Planner, s *rule.Site) plan.Plan {
	around := PresenceAround(p, s)
	if p.Law == rule.OfResources && (around == Required || around == "" && requiredInSchema(p, s)) {
		return sent(s, around == Required)
	}
	if around != Required {
		return plan.Plan{}
	}
	made, err := present(s)
	if err != nil {
		return plan.Plan{} // Go can't tell whether it is there
	}
	return made
}

// requiredInSchema tells whether a field about which nothing is said is required in the schema of a
// custom resource: what JSON always holds is, unless the server fills it in.
func requiredInSchema(p *rule.Planner, s *rule.Site) bool {
	if shape.JSONName(*s.Member) == "" || shape.Omitted(*s.Member) {
		return false
	}
	own := func(name string) bool { return rule.HasRule(s, name) }
	byField := slices.ContainsFunc(OwnPresence, own) || slices.ContainsFunc(defaults, s.Origin.Markers.Has)
	return !byField && !defaultOfType(p, s.Type)
}

// defaults are the tags that give one.
var defaults = []string{"default", "kubebuilder:default"}

// defaultOfType tells whether a type has a default, or what it is named after or points to. Of a
// custom resource kubebuilder's counts on fields alone, as the generator of defaults has it.
func defaultOfType(p *rule.Planner, t *types.Type) bool {
	for layer := range model.Layers(t) {
		if p.Model.OfType(layer).Has("default") {
			return true
		}
	}
	return false
}

// mayBeAbsent tells whether a field of a struct may be absent where the schema of a custom resource
// holds.
func mayBeAbsent(p *rule.Planner, owner *types.Type, m types.Member) bool {
	s := &rule.Site{
		Scope: rule.OnField, Type: m.Type, Member: &m, ParentType: owner,
		Origin: rule.Origin{Owner: owner, Field: m.Name, Markers: p.Model.OfField(owner, m.Name)},
	}
	if rule.HasRule(s, "k8s:required") || rule.HasRule(s, Required) {
		return false
	}
	around := PresenceAround(p, s)
	return around != Required && (around == Optional || !requiredInSchema(p, s))
}
