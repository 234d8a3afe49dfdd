package validation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func modeRules() []rule {
	return []rule{
		{name: "k8s:modeDiscriminator", scopes: onField, args: []argument{{"modality", false}}, example: "+k8s:modeDiscriminator",
			doc:  "The string or bool says which +k8s:ifMode rules of the other fields hold. modality: names it if there are several.",
			plan: (*planner).modeDiscriminator},
		{name: "k8s:ifMode", scopes: onField, value: innerTag, args: []argument{{"", false}, {"modality", false}, {"mode", false}},
			example: `+k8s:ifMode("Static")=+k8s:required`,
			doc:     "Applies a tag while the discriminator has this value. While it has a value that no +k8s:ifMode of the field names, the field must not be set.",
			plan:    (*planner).ifMode},
	}
}

// modality is a discriminator and the rules that depend on it.
type modality struct {
	discriminator *types.Member
	fields        map[string]*modeField
}

type modeField struct {
	member *types.Member
	rules  []modeRule
}

type modeRule struct {
	mode  string
	plan  plan
	level string
}

var modalityName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// modalityOf returns a modality of the struct around a site.
func (p *planner) modalityOf(s *site, t codetags.Tag) (*modality, error) {
	arg, named := t.NamedArg("modality")
	if named && (!modalityName.MatchString(arg.Value) || arg.Value == "default") {
		return nil, fault{fmt.Sprintf("%q can't name a modality", arg.Value), "use letters, digits and _, and not default"}
	}
	if p.modes[s.parentPath] == nil {
		p.modes[s.parentPath] = map[string]*modality{}
	}
	if p.modes[s.parentPath][arg.Value] == nil {
		p.modes[s.parentPath][arg.Value] = &modality{fields: map[string]*modeField{}}
	}
	return p.modes[s.parentPath][arg.Value], nil
}

func (p *planner) modeDiscriminator(s *site, t codetags.Tag) (plan, error) {
	n := native(s.typ)
	if !isString(n) && !isBool(n) {
		return plan{}, fault{"a discriminator is a string or a bool, and this is " + aKind(s.typ), "remove the tag"}
	}
	m, err := p.modalityOf(s, t)
	if err != nil {
		return plan{}, err
	}
	if m.discriminator != nil && m.discriminator != s.member {
		return plan{}, fault{"there is another discriminator, " + m.discriminator.Name, "name one of the two with (modality: ...)"}
	}
	m.discriminator = s.member
	return plan{}, nil
}

func (p *planner) ifMode(s *site, t codetags.Tag) (plan, error) {
	mode, named := t.NamedArg("mode")
	if !named {
		if mode, named = t.PositionalArg(); !named {
			return plan{}, fault{"it does not say in which mode", `want it as in +k8s:ifMode("Static")=+k8s:required`}
		}
	}
	m, err := p.modalityOf(s, t)
	if err != nil {
		return plan{}, err
	}
	f := m.fields[s.member.Name]
	if f == nil {
		f = &modeField{member: s.member}
		m.fields[s.member.Name] = f
	}
	made, err := p.planOf(s, *t.ValueTag)
	if err != nil {
		return plan{}, err
	}
	for _, l := range made.later {
		if l.around {
			return plan{}, fault{"+" + t.ValueTag.Name + " is about the whole struct and can't depend on a mode", "use it without +k8s:ifMode"}
		}
	}
	f.rules = append(f.rules, modeRule{mode.Value, made, s.level})
	out := aroundLater(func() (plan, error) { return p.modePlan(s) })
	out.vars, out.helpers = made.vars, made.helpers
	return out, nil
}

// modePlan makes the calls for all modalities of the struct around a site, the first time it is asked.
func (p *planner) modePlan(s *site) (plan, error) {
	modes := p.modes[s.parentPath]
	delete(p.modes, s.parentPath)
	var out plan
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		m := modes[name]
		if m.discriminator == nil && len(m.fields) > 0 {
			cure := "tag a string or bool with +k8s:modeDiscriminator"
			if name != "" {
				cure += fmt.Sprintf("(modality: %q)", name)
			}
			return plan{}, fault{"no field of the struct says which mode it is", cure}
		}
		for _, field := range slices.Sorted(maps.Keys(m.fields)) {
			if err := m.fields[field].settle(); err != nil {
				return plan{}, err
			}
			c, err := m.fields[field].call(s.parentType, m.discriminator)
			if err != nil {
				return plan{}, err
			}
			out.calls = append(out.calls, c)
		}
	}
	return out, nil
}

// settle makes what the rules postponed: now all tags of the struct are known.
func (f *modeField) settle() error {
	for i := range f.rules {
		made := &f.rules[i].plan
		waiting := made.later
		made.later = nil
		if err := settle(waiting, func(_ bool, inner plan) { made.add(inner) }); err != nil {
			return err
		}
	}
	return nil
}

func (f *modeField) call(owner *types.Type, discriminator *types.Member) (call, error) {
	name := jsonName(*f.member)
	typ := nilableForm(f.member.Type)
	verb, err := presence("Forbidden", f.member.Type)
	if err != nil {
		return call{}, err
	}
	otherwise := call{fn: lib(verb), level: f.level(), emits: []emission{{"FieldValueForbidden", "", ""}}}
	ruleType := []*types.Type{typ, discriminator.Type}
	table := literal{slice: true, typ: lib("DiscriminatedRule"), typeArgs: ruleType}
	for _, mode := range f.modes() {
		value, err := modeValue(mode, discriminator)
		if err != nil {
			return call{}, err
		}
		table.fields = append(table.fields, fieldValue{"", literal{typ: lib("DiscriminatedRule"), typeArgs: ruleType, fields: []fieldValue{
			{"Value", value}, {"Validation", sequence{calls: f.calls(mode), typ: typ, fragment: "." + name}},
		}}})
	}
	return call{
		fn: lib("Discriminated"), ownLevels: true, args: []any{
			name,
			getter("obj", types.PointerTo(owner), f.member),
			lambda{params: []param{{"obj", types.PointerTo(owner)}}, result: discriminator.Type, body: []any{"return obj." + discriminator.Name}},
			equality(f.member.Type),
			sequence{calls: []call{otherwise}, typ: typ, fragment: "." + name},
			table,
		},
	}, nil
}

func (f *modeField) modes() []string {
	var out []string
	for _, r := range f.rules {
		out = append(out, r.mode)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (f *modeField) calls(mode string) []call {
	var out []call
	for _, r := range f.rules {
		for _, c := range r.plan.calls {
			if r.mode != mode {
				continue
			}
			if r.level != "" {
				c.level = r.level
			}
			out = append(out, c)
		}
	}
	return out
}

// level is the level that all rules of the field have, "" if they differ.
func (f *modeField) level() string {
	for _, r := range f.rules {
		if r.level != f.rules[0].level {
			return ""
		}
	}
	return f.rules[0].level
}

func modeValue(mode string, discriminator *types.Member) (any, error) {
	if !isBool(native(discriminator.Type)) {
		return mode, nil
	}
	if mode != "true" && mode != "false" {
		return nil, fault{fmt.Sprintf("the mode %s is no value of the bool %s", strconv.Quote(mode), discriminator.Name), `want "true" or "false"`}
	}
	return raw(mode), nil
}
