package declarative

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func enumRules() []rule.Rule {
	return []rule.Rule{
		{Name: "k8s:enum", Scopes: rule.OnType, Example: "+k8s:enum",
			Doc: "The value of a string type is one of the constants of the type.", Plan: enumOfConstants},
		{Name: "enum", Scopes: rule.OnType, Example: "+enum",
			Doc: "The same as +k8s:enum, as kube-openapi spells it.", Plan: enumOfConstants},
		{Name: "k8s:enumExclude", Scopes: rule.OnConst, Example: "+k8s:ifDisabled(NewKinds)=+k8s:enumExclude",
			Doc:  "The constant is no value of its enum, or not while an option is on or off.",
			Plan: func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error) { return plan.Plan{}, nil }},
	}
}

// enumValue is a constant that counts, and when it doesn't.
type enumValue struct {
	def        *types.Type
	exclusions []exclusion
}

// exclusion takes a constant out of its enum while an option is on, or off.
type exclusion struct {
	option string
	when   bool
}

func enumOfConstants(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	if !shape.IsString(shape.Native(s.Type)) {
		return plan.Plan{}, plan.Fault{Message: "it is for string types, and this is " + shape.AKind(s.Type), Cure: "list the values with +kubebuilder:validation:Enum=1;2"}
	}
	values := enumValues(p, s.Constants)
	if t.Name == "enum" && (len(values) == 0 || saysEnum(s)) {
		return plan.Plan{}, nil
	}
	out := plan.Plan{Marked: t.Name == "enum"}
	name, typeArgs := s.Type.Name.Name, []plan.TypeArg(nil)
	inherited := s.Origin.Owner != s.Type // from a type that this one is named after, which has the constants
	if inherited {
		name += "_" + s.Origin.Owner.Name.Name
	}
	if inherited || len(values) == 0 {
		typeArgs = []plan.TypeArg{{Type: s.Type}}
	}
	symbols := "symbolsFor" + name
	var names, rules []any
	for _, v := range values {
		var ident any = emit.Ident{Path: v.def.Name.Package, Name: v.def.Name.Name}
		if inherited {
			ident = *v.def.ConstValue
		}
		names = append(names, ident)
		for _, e := range v.exclusions {
			rules = append(rules, plan.Literal{Type: plan.Lib("EnumExclusion"), TypeArgs: []*types.Type{s.Type}, Fields: []plan.FieldValue{
				{Name: "Value", Value: ident}, {Name: "Option", Value: e.option}, {Name: "ExcludeWhen", Value: e.when},
			}})
		}
	}
	init := plan.Construct{Func: plan.SetsNew, TypeArgs: typeArgs, Args: names}
	out.Vars = append(out.Vars, plan.Variable{Name: symbols, Init: init})
	var exclusions any = plan.Raw("nil")
	if len(rules) > 0 {
		name := "exclusionsFor" + name
		list := plan.Literal{Slice: true, Type: plan.Lib("EnumExclusion"), TypeArgs: []*types.Type{s.Type}}
		for _, r := range rules {
			list.Fields = append(list.Fields, plan.FieldValue{Name: "", Value: r})
		}
		out.Vars = append(out.Vars, plan.Variable{Name: name, Init: list})
		exclusions = plan.Own(name)
	}
	out.Calls = []plan.Call{{
		Func: plan.Lib("Enum"), Args: []any{plan.Own(symbols), exclusions}, Emits: []plan.Emission{{Type: "FieldValueNotSupported", Origin: "", Path: ""}},
	}}
	return out, nil
}

// enumValues are the constants that count, by name; of two with one value the one that says more
// about it.
func enumValues(p *rule.Planner, constants []rule.Constant) []enumValue {
	var out []enumValue
	for _, c := range constants {
		exclusions, never := exclusionsOf(c.Tags)
		if never || c.Def.ConstValue == nil {
			continue
		}
		v := enumValue{c.Def, exclusions}
		if i := slices.IndexFunc(out, func(o enumValue) bool { return *o.def.ConstValue == *c.Def.ConstValue }); i < 0 {
			out = append(out, v)
		} else if saysMore(p, c.Def, out[i].def) {
			out[i] = v
		}
	}
	slices.SortFunc(out, func(a, b enumValue) int { return strings.Compare(a.def.Name.Name, b.def.Name.Name) })
	return out
}

func saysMore(p *rule.Planner, a, b *types.Type) bool {
	x, y := strings.Join(p.Model.Doc(a), " "), strings.Join(p.Model.Doc(b), " ")
	return cmp.Or(len(x)-len(y), strings.Compare(y, x)) > 0
}

// exclusionsOf reads when a constant does not count; never says that it doesn't at all.
func exclusionsOf(tags []codetags.Tag) (out []exclusion, never bool) {
	for _, t := range tags {
		switch {
		case t.Name == "k8s:enumExclude":
			return nil, true
		case t.ValueTag != nil && t.ValueTag.Name == "k8s:enumExclude":
			if option, ok := t.PositionalArg(); ok {
				out = append(out, exclusion{option.Value, t.Name == "k8s:ifEnabled"})
			}
		}
	}
	slices.SortFunc(out, func(a, b exclusion) int {
		if a.when != b.when {
			if a.when {
				return 1
			}
			return -1
		}
		return strings.Compare(a.option, b.option)
	})
	return out, false
}

// saysEnum tells whether +k8s:enum stands on the site, also inside another tag: that one says more
// exactly what holds.
func saysEnum(s *rule.Site) bool {
	for mk := range s.Origin.Markers.All() {
		if strings.HasSuffix(mk.Text, "+k8s:enum") {
			return true
		}
	}
	return false
}
