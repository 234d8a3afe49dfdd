package declarative

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func modeRules() []rule.Rule {
	return []rule.Rule{
		{Name: "k8s:modeDiscriminator", Scopes: rule.OnField, Args: []rule.Argument{{Name: "modality", Required: false}}, Example: "+k8s:modeDiscriminator",
			Doc:  "The string or bool says which +k8s:ifMode rules of the other fields hold. modality: names it if there are several.",
			Plan: modeDiscriminator},
		{Name: "k8s:ifMode", Scopes: rule.OnField, Value: rule.InnerTag, Args: []rule.Argument{{Name: "", Required: false}, {Name: "modality", Required: false}, {Name: "mode", Required: false}},
			Example: `+k8s:ifMode("Static")=+k8s:required`,
			Doc:     "Applies a tag while the discriminator has this value. While it has a value that no +k8s:ifMode of the field names, the field must not be set.",
			Plan:    ifMode},
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
	plan  plan.Plan
	level string
}

var modalityName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`)

// modalityOf returns a modality of the struct around a site.
func modalityOf(p *rule.Planner, s *rule.Site, t codetags.Tag) (*modality, error) {
	arg, named := t.NamedArg("modality")
	if named && (!modalityName.MatchString(arg.Value) || arg.Value == "default") {
		return nil, plan.Fault{Message: fmt.Sprintf("%q can't name a modality", arg.Value), Cure: "use letters, digits and _, and not default"}
	}
	if rule.Notes[map[string]*modality](p)[s.ParentPath] == nil {
		rule.Notes[map[string]*modality](p)[s.ParentPath] = map[string]*modality{}
	}
	if rule.Notes[map[string]*modality](p)[s.ParentPath][arg.Value] == nil {
		rule.Notes[map[string]*modality](p)[s.ParentPath][arg.Value] = &modality{fields: map[string]*modeField{}}
	}
	return rule.Notes[map[string]*modality](p)[s.ParentPath][arg.Value], nil
}

func modeDiscriminator(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	n := shape.Native(s.Type)
	if !shape.IsString(n) && !shape.IsBool(n) {
		return plan.Plan{}, plan.Fault{Message: "a discriminator is a string or a bool, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
	}
	m, err := modalityOf(p, s, t)
	if err != nil {
		return plan.Plan{}, err
	}
	if m.discriminator != nil && m.discriminator != s.Member {
		return plan.Plan{}, plan.Fault{Message: "there is another discriminator, " + m.discriminator.Name, Cure: "name one of the two with (modality: ...)"}
	}
	m.discriminator = s.Member
	return plan.Plan{}, nil
}

func ifMode(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	mode, named := t.NamedArg("mode")
	if !named {
		if mode, named = t.PositionalArg(); !named {
			return plan.Plan{}, plan.Fault{Message: "it does not say in which mode", Cure: `want it as in +k8s:ifMode("Static")=+k8s:required`}
		}
	}
	m, err := modalityOf(p, s, t)
	if err != nil {
		return plan.Plan{}, err
	}
	f := m.fields[s.Member.Name]
	if f == nil {
		f = &modeField{member: s.Member}
		m.fields[s.Member.Name] = f
	}
	made, err := p.PlanOf(s, *t.ValueTag)
	if err != nil {
		return plan.Plan{}, err
	}
	for _, l := range made.Later {
		if l.Around {
			return plan.Plan{}, plan.Fault{Message: "+" + t.ValueTag.Name + " is about the whole struct and can't depend on a mode", Cure: "use it without +k8s:ifMode"}
		}
	}
	f.rules = append(f.rules, modeRule{mode.Value, made, s.Level})
	out := plan.AroundLater(func() (plan.Plan, error) { return modePlan(p, s) })
	out.Vars, out.Helpers = made.Vars, made.Helpers
	return out, nil
}

// modePlan makes the calls for all modalities of the struct around a site, the first time it is
// asked.
func modePlan(p *rule.Planner, s *rule.Site) (plan.Plan, error) {
	modes := rule.Notes[map[string]*modality](p)[s.ParentPath]
	delete(rule.Notes[map[string]*modality](p), s.ParentPath)
	var out plan.Plan
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		m := modes[name]
		if m.discriminator == nil && len(m.fields) > 0 {
			cure := "tag a string or bool with +k8s:modeDiscriminator"
			if name != "" {
				cure += fmt.Sprintf("(modality: %q)", name)
			}
			return plan.Plan{}, plan.Fault{Message: "no field of the struct says which mode it is", Cure: cure}
		}
		for _, field := range slices.Sorted(maps.Keys(m.fields)) {
			if err := m.fields[field].settle(); err != nil {
				return plan.Plan{}, err
			}
			c, err := m.fields[field].call(s.ParentType, m.discriminator)
			if err != nil {
				return plan.Plan{}, err
			}
			out.Calls = append(out.Calls, c)
		}
	}
	return out, nil
}

// settle makes what the rules postponed: now all tags of the struct are known.
func (f *modeField) settle() error {
	for i := range f.rules {
		made := &f.rules[i].plan
		waiting := made.Later
		made.Later = nil
		if err := plan.Settle(waiting, func(_ bool, inner plan.Plan) { made.Add(inner) }); err != nil {
			return err
		}
	}
	return nil
}

func (f *modeField) call(owner *types.Type, discriminator *types.Member) (plan.Call, error) {
	name := shape.JSONName(*f.member)
	typ := shape.NilableForm(f.member.Type)
	verb, err := presence("Forbidden", f.member.Type)
	if err != nil {
		return plan.Call{}, err
	}
	otherwise := plan.Call{Func: plan.Lib(verb), Level: f.level(), Emits: []plan.Emission{{Type: "FieldValueForbidden", Origin: "", Path: ""}}}
	ruleType := []*types.Type{typ, discriminator.Type}
	table := plan.Literal{Slice: true, Type: plan.Lib("DiscriminatedRule"), TypeArgs: ruleType}
	for _, mode := range f.modes() {
		value, err := modeValue(mode, discriminator)
		if err != nil {
			return plan.Call{}, err
		}
		table.Fields = append(table.Fields, plan.FieldValue{Name: "", Value: plan.Literal{Type: plan.Lib("DiscriminatedRule"), TypeArgs: ruleType, Fields: []plan.FieldValue{
			{Name: "Value", Value: value}, {Name: "Validation", Value: plan.Sequence{Calls: f.calls(mode), Type: typ, Fragment: "." + name}},
		}}})
	}
	return plan.Call{
		Func: plan.Lib("Discriminated"), OwnLevels: true, Args: []any{
			name,
			getter("obj", types.PointerTo(owner), f.member),
			plan.Lambda{Params: []plan.Param{{Name: "obj", Type: types.PointerTo(owner)}}, Result: discriminator.Type, Body: []any{"return obj." + discriminator.Name}},
			equality(f.member.Type),
			plan.Sequence{Calls: []plan.Call{otherwise}, Type: typ, Fragment: "." + name},
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

func (f *modeField) calls(mode string) []plan.Call {
	var out []plan.Call
	for _, r := range f.rules {
		for _, c := range r.plan.Calls {
			if r.mode != mode {
				continue
			}
			if r.level != "" {
				c.Level = r.level
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
	if !shape.IsBool(shape.Native(discriminator.Type)) {
		return mode, nil
	}
	if mode != "true" && mode != "false" {
		return nil, plan.Fault{Message: fmt.Sprintf("the mode %s is no value of the bool %s", strconv.Quote(mode), discriminator.Name), Cure: `want "true" or "false"`}
	}
	return plan.Raw(mode), nil
}
