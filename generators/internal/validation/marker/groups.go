package marker

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func groupRules() []rule.Rule {
	group := func(name, doc string, make func(p *rule.Planner, s *rule.Site, members []declarative.UnionMember) (plan.Plan, error)) rule.Rule {
		return rule.Rule{Name: rule.Kubebuilder + name, Scopes: rule.OnType | rule.OnField, Value: rule.Words, Example: "+" + rule.Kubebuilder + name + "=secret;configMap", Doc: doc,
			Plan: marked(func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				members, err := groupMembers(s, t)
				if err != nil {
					return plan.Plan{}, err
				}
				return make(p, s, members)
			})}
	}
	return []rule.Rule{
		group("ExactlyOneOf", "Exactly one of these fields, by their names in JSON, is set.", unionGroup(declarative.ExactlyOne)),
		group("OneOf", "The same as ExactlyOneOf.", unionGroup(declarative.ExactlyOne)),
		group("AtMostOneOf", "At most one of these fields is set.", unionGroup(declarative.AtMostOne)),
		group("AtLeastOneOf", "At least one of these fields is set.", atLeastOne),
	}
}

// groupMembers are the fields that a marker names.
func groupMembers(s *rule.Site, t codetags.Tag) ([]declarative.UnionMember, error) {
	owner := shape.Bare(s.Type)
	if owner.Kind != types.Struct {
		return nil, plan.Fault{Message: "it is for structs, and this is " + shape.AKind(s.Type), Cure: "remove the tag", Misfit: true}
	}
	names := tag.List(strings.ReplaceAll(strings.Trim(t.Value, "[]"), `"`, ""))
	if len(names) < 2 {
		return nil, plan.Fault{Message: "it names " + fmt.Sprint(len(names)) + " of the fields", Cure: "name two or more: +" + t.Name + "=secret;configMap"}
	}
	var out []declarative.UnionMember
	for _, name := range names {
		m := shape.MemberByJSON(owner, name)
		if m == nil {
			return nil, plan.NoSuchField(owner, name)
		}
		if message := declarative.CanBeUnset(m); message != "" {
			return nil, plan.Fault{Message: message, Cure: "make it a pointer"}
		}
		out = append(out, declarative.UnionMember{Name: name, Value: m.Name, Field: m})
	}
	return out, nil
}

func unionGroup(kind declarative.UnionKind) func(*rule.Planner, *rule.Site, []declarative.UnionMember) (plan.Plan, error) {
	return func(p *rule.Planner, s *rule.Site, members []declarative.UnionMember) (plan.Plan, error) {
		u := declarative.Union{Members: members}
		return u.Plan(kind, p.Fresh(s.Path, kind.Prefix+p.VarName(s.Path, "")), model.Pointee(s.Type))
	}
}

func atLeastOne(_ *rule.Planner, s *rule.Site, members []declarative.UnionMember) (plan.Plan, error) {
	args := []any{plan.Raw("[]string{" + quotedNames(members) + "}")}
	for _, m := range members {
		args = append(args, declarative.IsSet(model.Pointee(s.Type), m.Field))
	}
	return plan.HelperCall(helperAtLeastOne, plan.Emission{Type: "FieldValueInvalid", Origin: "atLeastOneOf", Path: ""}, args...), nil
}

func quotedNames(members []declarative.UnionMember) string {
	var out []string
	for _, m := range members {
		out = append(out, fmt.Sprintf("%q", m.Name))
	}
	return strings.Join(out, ", ")
}

var helperAtLeastOne = plan.Helper{Name: "validate_atLeastOneOf", Lines: func() [][]any {
	list := plan.Ident(plan.FieldPath, "ErrorList")
	return [][]any{
		{"// validate_atLeastOneOf wants one of the fields to be set."},
		{"func validate_atLeastOneOf[T any](_ ", plan.Ident("context", "Context"), ", _ ", plan.Ident(plan.OperationPath, "Operation"), ", fldPath *", plan.Ident(plan.FieldPath, "Path"), ", obj, _ *T, names []string, isSet ...func(*T) bool) ", list, " {"},
		{"for _, set := range isSet {"}, {"if obj == nil || set(obj) {"}, {"return nil"}, {"}"}, {"}"},
		{"return ", list, "{", plan.Ident(plan.FieldPath, "Invalid"), `(fldPath, "", "must specify at least one of: "+`, plan.Ident("strings", "Join"), `(names, ", ")).WithOrigin("atLeastOneOf")}`},
		{"}"},
	}
}}
