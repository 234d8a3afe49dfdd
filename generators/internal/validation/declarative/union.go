package declarative

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func unionRules() []rule.Rule {
	args := []rule.Argument{{Name: "union", Required: false}, {Name: "memberName", Required: false}}
	return []rule.Rule{
		{Name: "k8s:unionDiscriminator", Scopes: rule.OnField | rule.OnItem, Args: args[:1], Example: "+k8s:unionDiscriminator",
			Doc:  "The string field says which member of the union is set. union: names it if there are several.",
			Plan: unionDiscriminator},
		{Name: "k8s:unionMember", Scopes: rule.OnField | rule.OnItem, Args: args, Example: `+k8s:unionMember(memberName: "TCP")`,
			Doc: "A member of a union: exactly one is set, the one that the discriminator names if there is one. " +
				"Where there are several unions union: names one. memberName: is what the discriminator says instead of the field's Go name.",
			Plan: func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return memberOf(p, ExactlyOne, s, t)
			}},
		{Name: "k8s:zeroOrOneOfMember", Scopes: rule.OnField | rule.OnItem, Args: args, Example: "+k8s:zeroOrOneOfMember",
			Doc: "A member of a group of which at most one is set.",
			Plan: func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return memberOf(p, AtMostOne, s, t)
			}},
	}
}

// UnionKind is what holds for the members of a group.
type UnionKind struct{ fn, Prefix, origin string }

var (
	ExactlyOne = UnionKind{"Union", "unionMembershipFor", "union"}
	AtMostOne  = UnionKind{"ZeroOrOneOfUnion", "zeroOrOneOfMembershipFor", "zeroOrOneOf"}
)

// Union is a group of fields of a struct, or of items of a list.
type Union struct {
	Members       []UnionMember
	discriminator *types.Member
}

// UnionMember is one of a group: a field, or an item with certain keys.
type UnionMember struct {
	Name, Value string
	Field       *types.Member
	item        []rule.Pair
}

// unionOf returns a union of the struct or list around a site.
func unionOf(p *rule.Planner, kind UnionKind, s *rule.Site, t codetags.Tag) *Union {
	arg, _ := t.NamedArg("union")
	key := kind.fn + " " + s.ParentPath
	if rule.Notes[map[string]*Union](p)[key] == nil {
		rule.Notes[map[string]*Union](p)[key] = map[string]*Union{}
	}
	if rule.Notes[map[string]*Union](p)[key][arg.Value] == nil {
		rule.Notes[map[string]*Union](p)[key][arg.Value] = &Union{}
	}
	return rule.Notes[map[string]*Union](p)[key][arg.Value]
}

func unionDiscriminator(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	if !shape.IsString(shape.Bare(s.Type)) || s.Member == nil {
		return plan.Plan{}, plan.Fault{Message: "a discriminator is a field that holds a string, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
	}
	u := unionOf(p, ExactlyOne, s, t)
	u.discriminator = s.Member
	return plan.Plan{}, nil // the members make the call
}

func memberOf(p *rule.Planner, kind UnionKind, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	name, hasName := t.NamedArg("memberName")
	u := unionOf(p, kind, s, t)
	m := UnionMember{Value: name.Value}
	switch {
	case s.Scope == rule.OnField:
		if message := CanBeUnset(s.Member); message != "" {
			return plan.Plan{}, plan.Fault{Message: message, Cure: "make the field a pointer"}
		}
		m.Name, m.Field = shape.JSONName(*s.Member), s.Member
		if m.Name == "" {
			return plan.Plan{}, plan.Fault{Message: "the field has no name in JSON", Cure: `give it one: json:"name,omitempty"`}
		}
		if !hasName {
			m.Value = s.Member.Name
		}
	case len(s.Selector) == 0:
		return plan.Plan{}, plan.Fault{Message: "it does not say which item of the list is a member", Cure: `use it as in +k8s:item(type: "Ready")=+k8s:unionMember`}
	default:
		m.Name = s.Path[strings.LastIndexByte(s.Path, '.')+1:]
		m.item = s.Selector
		if slices.ContainsFunc(u.Members, func(o UnionMember) bool { return o.Name == m.Name }) {
			return plan.Plan{}, plan.Fault{Message: "the item is a member of the union twice", Cure: "remove one of the tags"}
		}
	}
	u.Members = append(u.Members, m)
	return plan.AroundLater(func() (plan.Plan, error) { return unionPlan(p, kind, s) }), nil
}

// unionPlan makes the calls for all unions around a site, the first time it is asked.
func unionPlan(p *rule.Planner, kind UnionKind, s *rule.Site) (plan.Plan, error) {
	key := kind.fn + " " + s.ParentPath
	unions := rule.Notes[map[string]*Union](p)[key]
	delete(rule.Notes[map[string]*Union](p), key)
	var out plan.Plan
	for _, name := range slices.Sorted(maps.Keys(unions)) {
		u := unions[name]
		if len(u.Members) == 0 {
			continue
		}
		made, err := u.Plan(kind, kind.Prefix+p.VarName(s.ParentPath, name), s.ParentType)
		if err != nil {
			return plan.Plan{}, err
		}
		out.Add(made)
	}
	return out, nil
}

func (u *Union) Plan(kind UnionKind, variableName string, around *types.Type) (plan.Plan, error) {
	constructor, member := "NewUnionMembership", "NewUnionMember"
	c := plan.Call{Func: plan.Lib(kind.fn), Args: []any{plan.Own(variableName)}, Emits: []plan.Emission{{Type: "FieldValueInvalid", Origin: kind.origin, Path: ""}}}
	var init []any
	if d := u.discriminator; d != nil {
		constructor, member = "NewDiscriminatedUnionMembership", "NewDiscriminatedUnionMember"
		init = append(init, shape.JSONName(*d))
		c.Func = plan.Lib("DiscriminatedUnion")
		said := "string(obj." + d.Name + ")"
		guard := "obj == nil"
		if d.Type.Kind == types.Pointer {
			said, guard = "string(*obj."+d.Name+")", "obj == nil || obj."+d.Name+" == nil"
		}
		c.Args = append(c.Args, plan.Lambda{
			Params: []plan.Param{{Name: "obj", Type: types.PointerTo(around)}}, Result: types.String,
			Body: []any{"if " + guard + ` { return "" }` + "\nreturn " + said},
		})
	}
	for _, m := range u.Members {
		args := []any{m.Name}
		if u.discriminator != nil {
			args = append(args, m.Value)
		}
		init = append(init, plan.Construct{Func: plan.Lib(member), Args: args})
	}
	for _, m := range u.Members {
		fn, err := m.extractor(around)
		if err != nil {
			return plan.Plan{}, err
		}
		c.Args = append(c.Args, fn)
	}
	return plan.Plan{Calls: []plan.Call{c}, Vars: []plan.Variable{{Name: variableName, Init: plan.Construct{Func: plan.Lib(constructor), Args: init}}}}, nil
}

// extractor is a function that tells whether the member is set.
func (m UnionMember) extractor(around *types.Type) (plan.Lambda, error) {
	if m.Field != nil {
		return IsSet(around, m.Field), nil
	}
	keys := slices.Clone(m.item)
	slices.SortFunc(keys, func(a, b rule.Pair) int { return strings.Compare(a.Name, b.Name) })
	condition, err := hasKeys(shape.Bare(shape.Native(around).Elem), keys, "list[i]")
	return plan.Lambda{
		Params: []plan.Param{{Name: "list", Type: around}}, Result: types.Bool,
		Body: []any{"for i := range list {\nif ", condition, " {\nreturn true\n}\n}\nreturn false"},
	}, err
}
