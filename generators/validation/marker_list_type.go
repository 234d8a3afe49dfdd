package validation

import (
	"slices"

	"k8s.io/gengo/v2/codetags"
)

// markerListTypeRules are +listType and +listMapKey as kube-openapi spells them. They say how lists merge, and servers of
// CustomResourceDefinitions also refuse items that are there twice; so does a server of the run for what it serves. For
// all other types, and for the kinds of Kubernetes, the tags are documentation: its lists of container ports, for one, say that
// they are maps and have always taken the same key twice. What is wrong with the tags is said by the plug-in
// that prints OpenAPI, so that it is said once.
func markerListTypeRules() []rule {
	return []rule{
		{name: "listType", scopes: onField, value: text, example: "+listType=map",
			doc: "The items of a list of type set or map differ, by their values or keys, where a server of the run serves the type.", plan: (*planner).bareListType},
		{name: "listMapKey", scopes: onField, value: text, example: "+listMapKey=name",
			doc: "JSON name of a field that is a key of the items of a list of type map.", plan: (*planner).bareListMapKey},
	}
}

// declaredLists are the tags that say themselves which items are unique.
var declaredLists = []string{"k8s:listType", "k8s:unique", "k8s:customUnique", kubebuilder + "UniqueItems", openAPI + "uniqueItems"}

// countsBare tells whether the bare tags count for a list.
func (p *planner) countsBare(s *site) bool {
	declared := slices.ContainsFunc(declaredLists, func(name string) bool { return hasRule(s, name) })
	return !declared && p.law == ofResources && wantList(s.typ) == "" && unsupported(s.typ) == "" && p.lists[s.typ.String()] == nil
}

func (p *planner) bareListType(s *site, t codetags.Tag) (plan, error) {
	suits := t.Value == "set" || t.Value == "map" && ofStructs(s.typ) && hasRule(s, "listMapKey")
	if !suits || !p.countsBare(s) {
		return plan{}, nil
	}
	made, err := p.listType(s, t)
	if err != nil {
		return plan{}, nil
	}
	return bareKeys(made), nil
}

// bareKeys leaves a list alone that has no keys because all of them were wrong.
func bareKeys(made plan) plan {
	for i, l := range made.later {
		made.later[i].make = func() (plan, error) {
			inner, err := l.make()
			if err != nil {
				return plan{}, nil
			}
			return inner, nil
		}
	}
	return made
}

func (p *planner) bareListMapKey(s *site, t codetags.Tag) (plan, error) {
	if lm := p.lists[s.path]; !p.countsBare(s) || lm != nil && slices.Contains(lm.keyNames, t.Value) {
		return plan{}, nil
	}
	made, err := p.listMapKey(s, t)
	if err != nil {
		return plan{}, nil
	}
	return bareKeys(made), nil
}
