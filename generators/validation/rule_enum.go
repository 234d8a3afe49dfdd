package validation

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/emit"
)

func enumRules() []rule {
	return []rule{
		{name: "k8s:enum", scopes: onType, example: "+k8s:enum",
			doc: "The value of a string type is one of the constants of the type.", plan: enumOfConstants},
		{name: "enum", scopes: onType, example: "+enum",
			doc: "The same as +k8s:enum, as kube-openapi spells it.", plan: enumOfConstants},
		{name: "k8s:enumExclude", scopes: onConst, example: "+k8s:ifDisabled(NewKinds)=+k8s:enumExclude",
			doc:  "The constant is no value of its enum, or not while an option is on or off.",
			plan: func(*planner, *site, codetags.Tag) (plan, error) { return plan{}, nil }},
	}
}

var setsNew = emit.Ident{Path: "k8s.io/apimachinery/pkg/util/sets", Name: "New"}

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

func enumOfConstants(p *planner, s *site, t codetags.Tag) (plan, error) {
	if !isString(native(s.typ)) {
		return plan{}, fault{"it is for string types, and this is " + aKind(s.typ), "list the values with +kubebuilder:validation:Enum=1;2"}
	}
	values := p.enumValues(s.constants)
	if t.Name == "enum" && (len(values) == 0 || saysEnum(s)) {
		return plan{}, nil
	}
	out := plan{marked: t.Name == "enum"}
	symbols := "symbolsFor" + s.typ.Name.Name
	var names, rules []any
	for _, v := range values {
		ident := emit.Ident{Path: v.def.Name.Package, Name: v.def.Name.Name}
		names = append(names, ident)
		for _, e := range v.exclusions {
			rules = append(rules, literal{typ: lib("EnumExclusion"), typeArgs: []*types.Type{s.typ}, fields: []fieldValue{
				{"Value", ident}, {"Option", e.option}, {"ExcludeWhen", e.when},
			}})
		}
	}
	init := construct{fn: setsNew, args: names}
	if len(names) == 0 {
		init.typeArgs = []typeArg{{t: s.typ}}
	}
	out.vars = append(out.vars, variable{symbols, init})
	var exclusions any = raw("nil")
	if len(rules) > 0 {
		name := "exclusionsFor" + s.typ.Name.Name
		list := literal{slice: true, typ: lib("EnumExclusion"), typeArgs: []*types.Type{s.typ}}
		for _, r := range rules {
			list.fields = append(list.fields, fieldValue{"", r})
		}
		out.vars = append(out.vars, variable{name, list})
		exclusions = own(name)
	}
	out.calls = []call{{
		fn: lib("Enum"), args: []any{own(symbols), exclusions}, emits: []emission{{"FieldValueNotSupported", "", ""}},
	}}
	return out, nil
}

// enumValues are the constants that count, by name; of two with one value the one that says more about it.
func (p *planner) enumValues(constants []constant) []enumValue {
	var out []enumValue
	for _, c := range constants {
		exclusions, never := exclusionsOf(c.tags)
		if never || c.def.ConstValue == nil {
			continue
		}
		v := enumValue{c.def, exclusions}
		if i := slices.IndexFunc(out, func(o enumValue) bool { return *o.def.ConstValue == *c.def.ConstValue }); i < 0 {
			out = append(out, v)
		} else if p.saysMore(c.def, out[i].def) {
			out[i] = v
		}
	}
	slices.SortFunc(out, func(a, b enumValue) int { return strings.Compare(a.def.Name.Name, b.def.Name.Name) })
	return out
}

func (p *planner) saysMore(a, b *types.Type) bool {
	x, y := strings.Join(p.model.Doc(a), " "), strings.Join(p.model.Doc(b), " ")
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

// constantsOf are the constants of each type of a package, with their tags.
func (p *planner) constantsOf(t *types.Type) []constant {
	pkg := p.model.Package(t.Name.Package)
	if pkg == nil {
		return nil
	}
	var out []constant
	for _, c := range pkg.Types.Constants {
		if c.Underlying != t {
			continue
		}
		o := origin{owner: c, markers: p.model.OfConstant(c)}
		item := constant{def: c}
		for _, w := range p.tagsOf(o) {
			s := &site{scope: onConst, typ: t, path: c.Name.String(), origin: o}
			if _, err := p.planOf(s, w.Tag); err != nil {
				p.problem(o, w.marker, w.Name, err)
				continue
			}
			item.tags = append(item.tags, w.Tag)
		}
		out = append(out, item)
	}
	slices.SortFunc(out, func(a, b constant) int { return strings.Compare(a.def.Name.Name, b.def.Name.Name) })
	return out
}

// saysEnum tells whether +k8s:enum stands on the site, also inside another tag: that one says more exactly what holds.
func saysEnum(s *site) bool {
	for mk := range s.origin.markers.All() {
		if strings.HasSuffix(mk.Text, "+k8s:enum") {
			return true
		}
	}
	return false
}

// hasRule tells whether a tag stands in the comment of the site.
func hasRule(s *site, name string) bool {
	for mk := range s.origin.markers.All() {
		if mk.Name == name {
			s.origin.markers.Claim(mk)
			return true
		}
	}
	return false
}
