package validation

import (
	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func dependentRules() []rule {
	sibling := []argument{{"", true}}
	return []rule{
		{name: "k8s:dependentRequired", scopes: onField, args: sibling, example: "+k8s:dependentRequired(key)",
			doc: "If this field is set, the named one of the same struct must be set too. May be repeated.",
			plan: func(_ *planner, s *site, t codetags.Tag) (plan, error) {
				return dependent(s, t, "DependentRequired", emission{"FieldValueRequired", "dependentRequired", "." + t.Args[0].Value})
			}},
		{name: "k8s:dependentForbidden", scopes: onField, args: sibling, example: "+k8s:dependentForbidden(key)",
			doc: "If this field is set, the named one of the same struct must not be set. May be repeated.",
			plan: func(_ *planner, s *site, t codetags.Tag) (plan, error) {
				return dependent(s, t, "DependentForbidden", emission{"FieldValueForbidden", "dependentForbidden", "." + t.Args[0].Value})
			}},
	}
}

func dependent(s *site, t codetags.Tag, fn string, emits emission) (plan, error) {
	owner := bare(s.parentType)
	if owner.Kind != types.Struct {
		return plan{}, fault{"there is no struct around it", "remove the tag"}
	}
	name := t.Args[0].Value
	sibling := memberByJSON(owner, name)
	switch {
	case sibling == nil:
		return plan{}, noSuchField(owner, name)
	case sibling.Name == s.member.Name:
		return plan{}, fault{"the field depends on itself", "name another field"}
	case jsonName(*s.member) == "":
		return plan{}, fault{"the field has no name in JSON", `give it one: json:"name,omitempty"`}
	}
	for _, m := range []*types.Member{s.member, sibling} {
		if message := canBeUnset(m); message != "" {
			return plan{}, fault{message, "make it a pointer"}
		}
	}
	c := call{fn: lib(fn), emits: []emission{emits}, args: []any{
		jsonName(*s.member), isSet(s.parentType, s.member), name, isSet(s.parentType, sibling),
	}}
	return aroundLater(func() (plan, error) { return of(c), nil }), nil
}
