package marker

import (
	"slices"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// listTypeRules are +listType and +listMapKey as kube-openapi spells them. They say how lists
// merge, and servers of CustomResourceDefinitions also refuse items that are there twice; so does a
// server of the run for what it serves. For all other types, and for the kinds of Kubernetes, the
// tags are documentation. Its lists of container ports, for one, say that they are maps, and have
// always taken the same key twice. What is wrong with the tags is said by the plug-in that prints
// OpenAPI, so that it is said once.
func listTypeRules() []rule.Rule {
	return []rule.Rule{
		{Name: "listType", Scopes: rule.OnLists, Value: rule.Text, Example: "+listType=map",
			Doc: "The items of a list of type set or map differ, by their values or keys, where a server of the run serves the type.", Plan: bareListType},
		{Name: "listMapKey", Scopes: rule.OnLists, Value: rule.Text, Example: "+listMapKey=name",
			Doc: "JSON name of a field that is a key of the items of a list of type map.", Plan: bareListMapKey},
	}
}

// declaredLists are the tags that say themselves which items are unique.
var declaredLists = []string{"k8s:listType", "k8s:unique", "k8s:customUnique", rule.Kubebuilder + "UniqueItems", rule.OpenAPI + "uniqueItems"}

// countsBare tells whether the bare tags count for a list.
func countsBare(p *rule.Planner, s *rule.Site) bool {
	declared := slices.ContainsFunc(declaredLists, func(name string) bool { return rule.HasRule(s, name) })
	byType := s.Scope == rule.OnField && rule.Notes[*declarative.List](p)[s.Type.String()] != nil
	return !declared && !byType && p.Law == rule.OfResources && shape.WantList(s.Type) == "" && shape.Unsupported(s.Type) == ""
}

// onType is the fault of a tag above a type that kube-openapi does not look at. controller-gen
// does.
func onType(p *rule.Planner, s *rule.Site) error {
	if s.Scope != rule.OnType || p.Law == rule.OfResources {
		return nil
	}
	return plan.Fault{Message: "it can't stand on " + s.Scope.String(), Cure: "it belongs on " + rule.OnField.String(), Misfit: true}
}

func bareListType(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	if err := onType(p, s); err != nil {
		return plan.Plan{}, err
	}
	if !countsBare(p, s) {
		return plan.Plan{}, nil
	}
	if suits := t.Value == "set" || t.Value == "map" && shape.OfStructs(s.Type) && rule.HasRule(s, "listMapKey"); !suits {
		return plan.Plan{}, nil
	}
	made, err := declarative.ListType(p, s, t)
	if err != nil {
		return plan.Plan{}, nil
	}
	return bareKeys(made), nil
}

// bareKeys leaves a list alone that has no keys because all of them were wrong.
func bareKeys(made plan.Plan) plan.Plan {
	for i, l := range made.Later {
		made.Later[i].Make = func() (plan.Plan, error) {
			inner, err := l.Make()
			if err != nil {
				return plan.Plan{}, nil
			}
			return inner, nil
		}
	}
	return made
}

func bareListMapKey(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	if err := onType(p, s); err != nil {
		return plan.Plan{}, err
	}
	if lm := rule.Notes[*declarative.List](p)[s.Path]; !countsBare(p, s) || lm != nil && slices.Contains(lm.KeyNames, t.Value) {
		return plan.Plan{}, nil
	}
	made, err := declarative.ListMapKey(p, s, t)
	if err != nil {
		return plan.Plan{}, nil
	}
	return bareKeys(made), nil
}
