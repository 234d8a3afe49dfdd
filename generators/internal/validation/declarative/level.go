package declarative

import (
	"fmt"
	"regexp"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

func levelRules() []rule.Rule {
	since := []rule.Argument{{Name: "since", Required: false}}
	return []rule.Rule{
		{Name: "k8s:alpha", Scopes: rule.OnAny, Value: rule.InnerTag, Args: since, Example: `+k8s:alpha(since: "1.37")=+k8s:maxLength=63`,
			Doc: "Tries a tag out: its errors are marked, and not shown to users.", Plan: level("Alpha")},
		{Name: "k8s:beta", Scopes: rule.OnAny, Value: rule.InnerTag, Args: since, Example: `+k8s:beta(since: "1.37")=+k8s:maxLength=63`,
			Doc: "Applies a tag whose errors are marked, so that a server can turn it off.", Plan: level("Beta")},
	}
}

var release = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

func level(name string) func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error) {
	return func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
		if since, ok := t.NamedArg("since"); ok && !release.MatchString(since.Value) {
			return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("%q is no release", since.Value), Cure: `want it as in (since: "1.37")`}
		}
		in := *s
		in.Level = name
		made, err := p.PlanOf(&in, *t.ValueTag)
		if err != nil {
			return plan.Plan{}, err
		}
		return made.Wrapped(func(c plan.Call, _ bool) plan.Call {
			if !c.OwnLevels {
				c.Level = name
			}
			return c
		}), nil
	}
}
