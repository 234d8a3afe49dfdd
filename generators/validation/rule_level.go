package validation

import (
	"fmt"
	"regexp"

	"k8s.io/gengo/v2/codetags"
)

func levelRules() []rule {
	since := []argument{{"since", false}}
	return []rule{
		{name: "k8s:alpha", scopes: onAny, value: innerTag, args: since, example: `+k8s:alpha(since: "1.37")=+k8s:maxLength=63`,
			doc: "Tries a tag out: its errors are marked, and not shown to users.", plan: level("Alpha")},
		{name: "k8s:beta", scopes: onAny, value: innerTag, args: since, example: `+k8s:beta(since: "1.37")=+k8s:maxLength=63`,
			doc: "Applies a tag whose errors are marked, so that a server can turn it off.", plan: level("Beta")},
	}
}

var release = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

func level(name string) func(*planner, *site, codetags.Tag) (plan, error) {
	return func(p *planner, s *site, t codetags.Tag) (plan, error) {
		if since, ok := t.NamedArg("since"); ok && !release.MatchString(since.Value) {
			return plan{}, fault{fmt.Sprintf("%q is no release", since.Value), `want it as in (since: "1.37")`}
		}
		in := *s
		in.level = name
		made, err := p.planOf(&in, *t.ValueTag)
		if err != nil {
			return plan{}, err
		}
		return made.wrapped(func(c call, _ bool) call {
			if !c.ownLevels {
				c.level = name
			}
			return c
		}), nil
	}
}
