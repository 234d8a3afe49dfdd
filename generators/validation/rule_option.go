package validation

import "k8s.io/gengo/v2/codetags"

func optionRules() []rule {
	build := func(enabled bool) func(*planner, *site, codetags.Tag) (plan, error) {
		return func(p *planner, s *site, t codetags.Tag) (plan, error) {
			made, err := p.planOf(s, *t.ValueTag)
			if err != nil {
				return plan{}, err
			}
			return made.wrapped(func(c call, around bool) call {
				w := wrapper{call: c, typ: s.typ}
				if around {
					w.typ = s.parentType
				}
				return call{fn: lib("IfOption"), args: []any{t.Args[0].Value, enabled, w}, stop: c.stop, silent: c.silent}
			}), nil
		}
	}
	option := []argument{{"", true}}
	return []rule{
		{name: "k8s:ifEnabled", scopes: onAny | onConst, value: innerTag, args: option, example: "+k8s:ifEnabled(ColorPrint)=+k8s:required",
			doc: "Applies a tag while an option of the operation is on.", plan: build(true)},
		{name: "k8s:ifDisabled", scopes: onAny | onConst, value: innerTag, args: option, example: "+k8s:ifDisabled(ColorPrint)=+k8s:forbidden",
			doc: "Applies a tag while an option of the operation is off.", plan: build(false)},
	}
}
