package marker

import (
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// schemaRules are the tags of kube-openapi that controller-gen has no word for.
func schemaRules() []rule.Rule {
	return []rule.Rule{
		{Name: rule.OpenAPI + "additionalProperties", Scopes: rule.OnAny, Value: rule.Fields, Example: "+" + rule.OpenAPI + "additionalProperties:maxLength=63",
			Doc: "Applies the constraint behind the colon to each value of the map.",
			Plan: marked(func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				if shape.Native(s.Type).Kind != types.Map {
					return plan.Plan{}, plan.Fault{Message: "it is for maps, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
				}
				inner, err := within(p, t, "additionalProperties:")
				if err != nil {
					return plan.Plan{}, err
				}
				outer := *s
				outer.MarkerPrefix += "additionalProperties:"
				return declarative.EachVal(p, &outer, inner)
			})},
		{Name: rule.OpenAPI + "properties", Scopes: rule.OnAny, Value: rule.Fields, Example: "+" + rule.OpenAPI + "properties:name:maxLength=63",
			Doc: "Applies the constraint behind the second colon to a field of the struct.",
			Plan: marked(func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				field, rest, ok := strings.Cut(strings.TrimPrefix(t.Value, ":"), ":")
				if !ok {
					return plan.Plan{}, plan.Fault{Message: "it names no field and constraint", Cure: "want it as in +" + rule.OpenAPI + "properties:name:maxLength=63"}
				}
				inner, err := within(p, codetags.Tag{Name: t.Name, Value: ":" + rest}, "properties:name:")
				if err != nil {
					return plan.Plan{}, err
				}
				outer := *s
				outer.MarkerPrefix += "properties:" + field + ":"
				return declarative.Subfield(p, &outer, codetags.Tag{Name: t.Name, Args: []codetags.Arg{{Value: field}}, ValueTag: &inner})
			})},
	}
}
