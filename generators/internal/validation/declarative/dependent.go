package declarative

import (
	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func dependentRules() []rule.Rule {
	sibling := []rule.Argument{{Name: "", Required: true}}
	return []rule.Rule{
		{Name: "k8s:dependentRequired", Scopes: rule.OnField, Args: sibling, Example: "+k8s:dependentRequired(key)",
			Doc: "If this field is set, the named one of the same struct must be set too. May be repeated.",
			Plan: func(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return dependent(s, t, "DependentRequired", plan.Emission{Type: "FieldValueRequired", Origin: "dependentRequired", Path: "." + t.Args[0].Value})
			}},
		{Name: "k8s:dependentForbidden", Scopes: rule.OnField, Args: sibling, Example: "+k8s:dependentForbidden(key)",
			Doc: "If this field is set, the named one of the same struct must not be set. May be repeated.",
			Plan: func(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return dependent(s, t, "DependentForbidden", plan.Emission{Type: "FieldValueForbidden", Origin: "dependentForbidden", Path: "." + t.Args[0].Value})
			}},
	}
}

func dependent(s *rule.Site, t codetags.Tag, fn string, emits plan.Emission) (plan.Plan, error) {
	owner := shape.Bare(s.ParentType)
	if owner.Kind != types.Struct {
		return plan.Plan{}, plan.Fault{Message: "there is no struct around it", Cure: "remove the tag"}
	}
	name := t.Args[0].Value
	sibling := shape.MemberByJSON(owner, name)
	switch {
	case sibling == nil:
		return plan.Plan{}, plan.NoSuchField(owner, name)
	case sibling.Name == s.Member.Name:
		return plan.Plan{}, plan.Fault{Message: "the field depends on itself", Cure: "name another field"}
	case shape.JSONName(*s.Member) == "":
		return plan.Plan{}, plan.Fault{Message: "the field has no name in JSON", Cure: `give it one: json:"name,omitempty"`}
	}
	for _, m := range []*types.Member{s.Member, sibling} {
		if message := CanBeUnset(m); message != "" {
			return plan.Plan{}, plan.Fault{Message: message, Cure: "make it a pointer"}
		}
	}
	c := plan.Call{Func: plan.Lib(fn), Emits: []plan.Emission{emits}, Args: []any{
		shape.JSONName(*s.Member), IsSet(s.ParentType, s.Member), name, IsSet(s.ParentType, sibling),
	}}
	return plan.AroundLater(func() (plan.Plan, error) { return plan.Of(c), nil }), nil
}
