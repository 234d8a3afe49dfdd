package validation

import (
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func markerListRules() []rule {
	return spelled(
		marker{name: "UniqueItems", rule: rule{scopes: onAny, value: flag, example: "+" + kubebuilder + "UniqueItems=true",
			doc: "The items of the list differ.", plan: uniqueItems}},
		marker{name: "items", rule: rule{scopes: onAny, value: fields, example: "+" + kubebuilder + "items:MaxLength=63",
			doc: "Applies the constraint behind the colon to each item of the list.", plan: (*planner).items}},
	)
}

func uniqueItems(_ *planner, s *site, t codetags.Tag) (plan, error) {
	if message := wantList(s.typ); message != "" {
		return plan{}, fault{message, "remove the tag"}
	}
	if off(t) {
		return plan{}, nil
	}
	fn, args := different(native(s.typ))
	return of(call{fn: fn, args: args, emits: []emission{{"FieldValueDuplicate", "", "[*]"}}}), nil
}

func (p *planner) items(s *site, t codetags.Tag) (plan, error) {
	if k := native(s.typ).Kind; k != types.Slice && k != types.Array {
		return plan{}, fault{"it is for lists, and this is " + aKind(s.typ), "remove the tag"}
	}
	inner, err := p.within(t, "items:")
	if err != nil {
		return plan{}, err
	}
	outer := *s
	outer.markerPrefix += "items:"
	return p.eachVal(&outer, inner)
}

// within is the marker behind the colon of one that applies it to a part.
func (p *planner) within(t codetags.Tag, example string) (codetags.Tag, error) {
	base := kubebuilder
	if strings.HasPrefix(t.Name, openAPI) {
		base = openAPI
	}
	line := "+" + base + strings.TrimPrefix(t.Value, ":")
	name, _, _ := strings.Cut(strings.TrimPrefix(line, "+"), "=")
	r, ok := p.rules.find(name)
	if !ok || !strings.HasPrefix(t.Value, ":") {
		return codetags.Tag{}, fault{"there is no constraint " + strings.TrimPrefix(name, base), "want it as in +" + base + example + "MaxLength=63"}
	}
	return parse(r, line)
}
