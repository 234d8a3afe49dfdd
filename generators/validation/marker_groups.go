package validation

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/model"
	"github.com/typeplane/typeplane/generators/tag"
)

func markerGroupRules() []rule {
	group := func(name, doc string, make func(p *planner, s *site, members []unionMember) (plan, error)) rule {
		return rule{name: kubebuilder + name, scopes: onType | onField, value: words, example: "+" + kubebuilder + name + "=secret;configMap", doc: doc,
			plan: marked(func(p *planner, s *site, t codetags.Tag) (plan, error) {
				members, err := groupMembers(s, t)
				if err != nil {
					return plan{}, err
				}
				return make(p, s, members)
			})}
	}
	return []rule{
		group("ExactlyOneOf", "Exactly one of these fields, by their names in JSON, is set.", unionGroup(exactlyOne)),
		group("OneOf", "The same as ExactlyOneOf.", unionGroup(exactlyOne)),
		group("AtMostOneOf", "At most one of these fields is set.", unionGroup(atMostOne)),
		group("AtLeastOneOf", "At least one of these fields is set.", atLeastOne),
	}
}

// groupMembers are the fields that a marker names.
func groupMembers(s *site, t codetags.Tag) ([]unionMember, error) {
	owner := bare(s.typ)
	if owner.Kind != types.Struct {
		return nil, fault{"it is for structs, and this is " + aKind(s.typ), "remove the tag"}
	}
	names := tag.List(strings.ReplaceAll(strings.Trim(t.Value, "[]"), `"`, ""))
	if len(names) < 2 {
		return nil, fault{"it names " + fmt.Sprint(len(names)) + " of the fields", "name two or more: +" + t.Name + "=secret;configMap"}
	}
	var out []unionMember
	for _, name := range names {
		m := memberByJSON(owner, name)
		if m == nil {
			return nil, noSuchField(owner, name)
		}
		if message := canBeUnset(m); message != "" {
			return nil, fault{message, "make it a pointer"}
		}
		out = append(out, unionMember{name: name, value: m.Name, field: m})
	}
	return out, nil
}

func unionGroup(kind unionKind) func(*planner, *site, []unionMember) (plan, error) {
	return func(p *planner, s *site, members []unionMember) (plan, error) {
		u := union{members: members}
		return u.plan(kind, p.fresh(kind.prefix+p.varName(s.path, "")), model.Pointee(s.typ))
	}
}

func atLeastOne(_ *planner, s *site, members []unionMember) (plan, error) {
	args := []any{raw("[]string{" + quotedNames(members) + "}")}
	for _, m := range members {
		args = append(args, isSet(model.Pointee(s.typ), m.field))
	}
	return helperCall(helperAtLeastOne, emission{"FieldValueInvalid", "atLeastOneOf", ""}, args...), nil
}

func quotedNames(members []unionMember) string {
	var out []string
	for _, m := range members {
		out = append(out, fmt.Sprintf("%q", m.name))
	}
	return strings.Join(out, ", ")
}

var helperAtLeastOne = helper{"validate_atLeastOneOf", func() [][]any {
	list := ident(fieldPath, "ErrorList")
	return [][]any{
		{"// validate_atLeastOneOf wants one of the fields to be set."},
		{"func validate_atLeastOneOf[T any](_ ", ident("context", "Context"), ", _ ", ident(operationPath, "Operation"), ", fldPath *", ident(fieldPath, "Path"), ", obj, _ *T, names []string, isSet ...func(*T) bool) ", list, " {"},
		{"for _, set := range isSet {"}, {"if obj == nil || set(obj) {"}, {"return nil"}, {"}"}, {"}"},
		{"return ", list, "{", ident(fieldPath, "Invalid"), `(fldPath, "", "must specify at least one of: "+`, ident("strings", "Join"), `(names, ", ")).WithOrigin("atLeastOneOf")}`},
		{"}"},
	}
}}
