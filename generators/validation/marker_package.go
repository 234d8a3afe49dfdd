package validation

import (
	"slices"

	"github.com/typeplane/typeplane/generators/tag"
)

const (
	markerRequired = kubebuilder + "Required"
	markerOptional = kubebuilder + "Optional"
)

// packageTags are the two markers where they stand on a package.
var packageTags = []tag.Definition{
	{Name: markerRequired, Scope: tag.Package, Value: tag.Flag},
	{Name: markerOptional, Scope: tag.Package, Value: tag.Flag},
}

// ownPresence are tags by which a field says itself whether it may be left out, and which have rules of their own.
var ownPresence = []string{"k8s:required", "k8s:optional", "k8s:forbidden", markerRequired, markerOptional}

// presenceAround is the marker that holds for a field without a tag of its own: +required and +optional of kube-openapi
// mean the same where a server of the run serves the field, and then comes what the package says. It is "" if nothing
// is said. A field that clients leave out (omitempty) says by that more than its package, and an embedded struct has no
// name to leave out.
func (p *planner) presenceAround(s *site) string {
	pkg := p.model.Package(s.parentType.Name.Package)
	own := slices.ContainsFunc(ownPresence, func(own string) bool { return hasRule(s, own) })
	switch {
	case pkg == nil || !pkg.Main || p.law == ofKubernetes || own || jsonName(*s.member) == "":
		return ""
	case hasRule(s, "optional"):
		return markerOptional
	case hasRule(s, "required"):
		if p.served(pkg.Path) {
			return markerRequired
		}
		return ""
	case omitted(*s.member):
		return ""
	case p.model.OfPackage(pkg).Has(markerOptional):
		return markerOptional
	case p.model.OfPackage(pkg).Has(markerRequired):
		return markerRequired
	}
	return ""
}

// presenceOf is what the field has to be there for, if it does not say so by a rule of its own.
func (p *planner) presenceOf(s *site) plan {
	if p.presenceAround(s) != markerRequired {
		return plan{}
	}
	made, err := present(s)
	if err != nil {
		return plan{} // Go can't tell whether it is there
	}
	return made
}

// served tells whether a package lies below a server of the run.
func (p *planner) served(path string) bool {
	return p.model.BelowServer(path)
}
