package declarative

import (
	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

func optionRules() []rule.Rule {
	build := func(enabled bool) func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error) {
		return func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
			made, err := p.PlanOf(s, *t.ValueTag)
			if err != nil {
				return plan.Plan{}, err
			}
			return made.Wrapped(func(c plan.Call, around bool) plan.Call {
				w := plan.Wrapper{Call: c, Type: s.Type}
				if around {
					w.Type = s.ParentType
				}
				return plan.Call{Func: plan.Lib("IfOption"), Args: []any{t.Args[0].Value, enabled, w}, Stop: c.Stop, Silent: c.Silent}
			}), nil
		}
	}
	option := []rule.Argument{{Name: "", Required: true}}
	return []rule.Rule{
		{Name: "k8s:ifEnabled", Scopes: rule.OnAny | rule.OnConst, Value: rule.InnerTag, Args: option, Example: "+k8s:ifEnabled(ColorPrint)=+k8s:required",
			Doc: "Applies a tag while an option of the operation is on.", Plan: build(true)},
		{Name: "k8s:ifDisabled", Scopes: rule.OnAny | rule.OnConst, Value: rule.InnerTag, Args: option, Example: "+k8s:ifDisabled(ColorPrint)=+k8s:forbidden",
			Doc: "Applies a tag while an option of the operation is off.", Plan: build(false)},
	}
}
