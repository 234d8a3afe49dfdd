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

func listRules() []rule.Rule {
	return spelled(
		marker{name: "UniqueItems", rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Flag, Example: "+" + rule.Kubebuilder + "UniqueItems=true",
			Doc: "The items of the list differ.", Plan: uniqueItems}},
		marker{name: "items", rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Fields, Example: "+" + rule.Kubebuilder + "items:MaxLength=63",
			Doc: "Applies the constraint behind the colon to each item of the list.", Plan: items}},
	)
}

func uniqueItems(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	if message := shape.WantList(s.Type); message != "" {
		return plan.Plan{}, plan.Fault{Message: message, Cure: "remove the tag"}
	}
	if off(t) {
		return plan.Plan{}, nil
	}
	fn, args := declarative.Different(shape.Native(s.Type))
	return plan.Of(plan.Call{Func: fn, Args: args, Emits: []plan.Emission{{Type: "FieldValueDuplicate", Origin: "", Path: "[*]"}}}), nil
}

func items(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	if k := shape.Native(s.Type).Kind; k != types.Slice && k != types.Array {
		return plan.Plan{}, plan.Fault{Message: "it is for lists, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
	}
	inner, err := within(p, t, "items:")
	if err != nil {
		return plan.Plan{}, err
	}
	outer := *s
	outer.MarkerPrefix += "items:"
	return declarative.EachVal(p, &outer, inner)
}

// within is the marker behind the colon of one that applies it to a part.
func within(p *rule.Planner, t codetags.Tag, example string) (codetags.Tag, error) {
	base := rule.Kubebuilder
	if strings.HasPrefix(t.Name, rule.OpenAPI) {
		base = rule.OpenAPI
	}
	line := "+" + base + strings.TrimPrefix(t.Value, ":")
	name, _, _ := strings.Cut(strings.TrimPrefix(line, "+"), "=")
	r, ok := p.Rules.Find(name)
	if !ok || !strings.HasPrefix(t.Value, ":") {
		return codetags.Tag{}, plan.Fault{Message: "there is no constraint " + strings.TrimPrefix(name, base), Cure: "want it as in +" + base + example + "MaxLength=63"}
	}
	return rule.Parse(r, line)
}
