package validation

import (
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

// schemaRules are the tags of kube-openapi that controller-gen has no word for.
func schemaRules() []rule {
	return []rule{
		{name: openAPI + "additionalProperties", scopes: onAny, value: fields, example: "+" + openAPI + "additionalProperties:maxLength=63",
			doc: "Applies the constraint behind the colon to each value of the map.",
			plan: marked(func(p *planner, s *site, t codetags.Tag) (plan, error) {
				if native(s.typ).Kind != types.Map {
					return plan{}, fault{"it is for maps, and this is " + aKind(s.typ), "remove the tag"}
				}
				inner, err := p.within(t, "additionalProperties:")
				if err != nil {
					return plan{}, err
				}
				outer := *s
				outer.markerPrefix += "additionalProperties:"
				return p.eachVal(&outer, inner)
			})},
		{name: openAPI + "properties", scopes: onAny, value: fields, example: "+" + openAPI + "properties:name:maxLength=63",
			doc: "Applies the constraint behind the second colon to a field of the struct.",
			plan: marked(func(p *planner, s *site, t codetags.Tag) (plan, error) {
				field, rest, ok := strings.Cut(strings.TrimPrefix(t.Value, ":"), ":")
				if !ok {
					return plan{}, fault{"it names no field and constraint", "want it as in +" + openAPI + "properties:name:maxLength=63"}
				}
				inner, err := p.within(codetags.Tag{Name: t.Name, Value: ":" + rest}, "properties:name:")
				if err != nil {
					return plan{}, err
				}
				outer := *s
				outer.markerPrefix += "properties:" + field + ":"
				return p.subfield(&outer, codetags.Tag{Name: t.Name, Args: []codetags.Arg{{Value: field}}, ValueTag: &inner})
			})},
	}
}
