package validation

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func unionRules() []rule {
	args := []argument{{"union", false}, {"memberName", false}}
	return []rule{
		{name: "k8s:unionDiscriminator", scopes: onField | onItem, args: args[:1], example: "+k8s:unionDiscriminator",
			doc:  "The string field says which member of the union is set. union: names it if there are several.",
			plan: (*planner).unionDiscriminator},
		{name: "k8s:unionMember", scopes: onField | onItem, args: args, example: `+k8s:unionMember(memberName: "TCP")`,
			doc: "A member of a union: exactly one is set, the one that the discriminator names if there is one. " +
				"union: names the union if there are several, memberName: is what the discriminator says instead of the field's Go name.",
			plan: func(p *planner, s *site, t codetags.Tag) (plan, error) { return p.unionMember(exactlyOne, s, t) }},
		{name: "k8s:zeroOrOneOfMember", scopes: onField | onItem, args: args, example: "+k8s:zeroOrOneOfMember",
			doc:  "A member of a group of which at most one is set.",
			plan: func(p *planner, s *site, t codetags.Tag) (plan, error) { return p.unionMember(atMostOne, s, t) }},
	}
}

// unionKind is what holds for the members of a group.
type unionKind struct{ fn, prefix, origin string }

var (
	exactlyOne = unionKind{"Union", "unionMembershipFor", "union"}
	atMostOne  = unionKind{"ZeroOrOneOfUnion", "zeroOrOneOfMembershipFor", "zeroOrOneOf"}
)

// union is a group of fields of a struct, or of items of a list.
type union struct {
	members       []unionMember
	discriminator *types.Member
}

// unionMember is one of a group: a field, or an item with certain keys.
type unionMember struct {
	name, value string
	field       *types.Member
	item        []pair
}

// unionOf returns a union of the struct or list around a site.
func (p *planner) unionOf(kind unionKind, s *site, t codetags.Tag) *union {
	arg, _ := t.NamedArg("union")
	key := kind.fn + " " + s.parentPath
	if p.unions[key] == nil {
		p.unions[key] = map[string]*union{}
	}
	if p.unions[key][arg.Value] == nil {
		p.unions[key][arg.Value] = &union{}
	}
	return p.unions[key][arg.Value]
}

func (p *planner) unionDiscriminator(s *site, t codetags.Tag) (plan, error) {
	if !isString(bare(s.typ)) || s.member == nil {
		return plan{}, fault{"a discriminator is a field that holds a string, and this is " + aKind(s.typ), "remove the tag"}
	}
	u := p.unionOf(exactlyOne, s, t)
	u.discriminator = s.member
	return plan{}, nil // the members make the call
}

func (p *planner) unionMember(kind unionKind, s *site, t codetags.Tag) (plan, error) {
	name, hasName := t.NamedArg("memberName")
	u := p.unionOf(kind, s, t)
	m := unionMember{value: name.Value}
	switch {
	case s.scope == onField:
		if message := canBeUnset(s.member); message != "" {
			return plan{}, fault{message, "make the field a pointer"}
		}
		m.name, m.field = jsonName(*s.member), s.member
		if m.name == "" {
			return plan{}, fault{"the field has no name in JSON", `give it one: json:"name,omitempty"`}
		}
		if !hasName {
			m.value = s.member.Name
		}
	case len(s.selector) == 0:
		return plan{}, fault{"it does not say which item of the list is a member", `use it as in +k8s:item(type: "Ready")=+k8s:unionMember`}
	default:
		m.name = s.path[strings.LastIndexByte(s.path, '.')+1:]
		m.item = s.selector
		if slices.ContainsFunc(u.members, func(o unionMember) bool { return o.name == m.name }) {
			return plan{}, fault{"the item is a member of the union twice", "remove one of the tags"}
		}
	}
	u.members = append(u.members, m)
	return aroundLater(func() (plan, error) { return p.unionPlan(kind, s) }), nil
}

// unionPlan makes the calls for all unions around a site, the first time it is asked.
func (p *planner) unionPlan(kind unionKind, s *site) (plan, error) {
	key := kind.fn + " " + s.parentPath
	unions := p.unions[key]
	delete(p.unions, key)
	var out plan
	for _, name := range slices.Sorted(maps.Keys(unions)) {
		u := unions[name]
		if len(u.members) == 0 {
			continue
		}
		made, err := u.plan(kind, kind.prefix+p.varName(s.parentPath, name), s.parentType)
		if err != nil {
			return plan{}, err
		}
		out.add(made)
	}
	return out, nil
}

func (u *union) plan(kind unionKind, variableName string, around *types.Type) (plan, error) {
	constructor, member := "NewUnionMembership", "NewUnionMember"
	c := call{fn: lib(kind.fn), args: []any{own(variableName)}, emits: []emission{{"FieldValueInvalid", kind.origin, ""}}}
	var init []any
	if d := u.discriminator; d != nil {
		constructor, member = "NewDiscriminatedUnionMembership", "NewDiscriminatedUnionMember"
		init = append(init, jsonName(*d))
		c.fn = lib("DiscriminatedUnion")
		said := "string(obj." + d.Name + ")"
		guard := "obj == nil"
		if d.Type.Kind == types.Pointer {
			said, guard = "string(*obj."+d.Name+")", "obj == nil || obj."+d.Name+" == nil"
		}
		c.args = append(c.args, lambda{
			params: []param{{"obj", types.PointerTo(around)}}, result: types.String,
			body: []any{"if " + guard + ` { return "" }` + "\nreturn " + said},
		})
	}
	for _, m := range u.members {
		args := []any{m.name}
		if u.discriminator != nil {
			args = append(args, m.value)
		}
		init = append(init, construct{fn: lib(member), args: args})
	}
	for _, m := range u.members {
		fn, err := m.extractor(around)
		if err != nil {
			return plan{}, err
		}
		c.args = append(c.args, fn)
	}
	return plan{calls: []call{c}, vars: []variable{{variableName, construct{fn: lib(constructor), args: init}}}}, nil
}

// extractor is a function that tells whether the member is set.
func (m unionMember) extractor(around *types.Type) (lambda, error) {
	if m.field != nil {
		return isSet(around, m.field), nil
	}
	keys := slices.Clone(m.item)
	slices.SortFunc(keys, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	condition, err := hasKeys(bare(native(around).Elem), keys, "list[i]")
	return lambda{
		params: []param{{"list", around}}, result: types.Bool,
		body: []any{"for i := range list {\nif ", condition, " {\nreturn true\n}\n}\nreturn false"},
	}, err
}
