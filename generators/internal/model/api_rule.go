package model

import (
	"cmp"
	gotypes "go/types"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Limits are the names of rules, in the order in which they are told. Whatever stands behind "cel"
// and "other" is told as it is written.
var Limits = []string{
	"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "maxBytes", "pattern", "format",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	"immutable", "monotonic", "noSet", "noUnset", "noModify", "noAddItem", "noRemoveItem",
	"forbidden", "neq", "cel", "oneOf", "atMostOneOf", "atLeastOneOf",
}

// spellings are the tags that set a rule, without their families.
var spellings = func() map[string]string {
	out := map[string]string{
		"XValidation": "cel", "ExactlyOneOf": "oneOf", "OneOf": "oneOf", "unique": "uniqueItems",
		"unionMember": "oneOf", "zeroOrOneOfMember": "atMostOneOf",
	}
	for _, name := range Limits {
		out[name], out[strings.ToUpper(name[:1])+name[1:]] = name, name
	}
	return out
}()

// rules are those of a field, and those of its type that it does not have itself.
func (r *Reader) rules(owner *types.Type, m types.Member) []Rule {
	out := rulesIn(r.model.OfField(owner, m.Name))
	prefix := ""
	for t := m.Type; t != nil; {
		r.comments(t.Name.Package)
		for _, rule := range rulesIn(r.model.OfType(t)) {
			rule.Name = prefix + rule.Name
			if !slices.ContainsFunc(out, func(o Rule) bool { return o.Name == rule.Name && o.Under == rule.Under }) {
				out = append(out, rule)
			}
		}
		switch t.Kind {
		case types.Pointer:
			t = t.Elem
		case types.Alias:
			t = t.Underlying
		case types.Slice, types.Map:
			if prefix != "" {
				t = nil
				continue
			}
			t, prefix = t.Elem, "items."
		default:
			t = nil
		}
	}
	slices.SortStableFunc(out, func(a, b Rule) int { return cmp.Compare(rank(a.Name), rank(b.Name)) })
	return out
}

func rank(name string) int {
	for i, prefix := range []string{"items.", "keys."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return (i+1)*100 + rank(rest)
		}
	}
	return slices.Index(Limits, name)
}

// rulesIn reads the rules among markers.
func rulesIn(markers Markers) []Rule {
	var out []Rule
	for line := range markers.All() {
		if rule, ok := readRule(line.Text); ok {
			out = append(out, rule)
		}
	}
	return out
}

// readRule reads one tag, of kubebuilder or of Kubernetes, nested ones included. Rules on trial
// (+k8s:alpha) are none: what they find is not told to clients.
func readRule(line string) (Rule, bool) {
	name := tag.NameOf(line)
	rest := strings.TrimPrefix(line, "+"+name)
	switch name {
	case "":
		return Rule{}, false
	case "k8s:eachVal", "k8s:eachKey":
		rule, ok := readRule(strings.TrimPrefix(rest, "="))
		rule.Name = map[string]string{"k8s:eachVal": "items.", "k8s:eachKey": "keys."}[name] + rule.Name
		return rule, ok
	case "k8s:beta":
		_, inner, _ := strings.Cut(rest, "=")
		return readRule(inner)
	case "k8s:subfield", "k8s:item", "k8s:ifMode", "k8s:ifEnabled", "k8s:ifDisabled":
		return readUnder(strings.TrimPrefix(name, "k8s:"), rest)
	case "k8s:update":
		value := strings.TrimPrefix(rest, "=")
		return Rule{Name: spellings[value]}, spellings[value] != ""
	}
	short, prefix := name, ""
	for _, family := range []string{"kubebuilder:validation:", "k8s:validation:", "k8s:"} {
		if after, ok := strings.CutPrefix(name, family); ok {
			short = after
			break
		}
	}
	if short == name {
		return Rule{}, false
	}
	if after, ok := strings.CutPrefix(short, "items:"); ok {
		short, prefix = after, "items."
	}
	short, _, _ = strings.Cut(short, ":") // XValidation:rule=…
	known := spellings[short]
	if known == "" || known == "uniqueItems" && (rest == "=false" || rest == "=map") {
		return Rule{}, false
	}
	return Rule{Name: prefix + known, Value: ruleValue(known, line, rest)}, true
}

// readUnder reads a tag that stands inside another one, which is about a part or sets a condition.
func readUnder(name, rest string) (Rule, bool) {
	args, inner, _ := strings.Cut(rest, "=+")
	rule, ok := readRule("+" + inner)
	if inner == "k8s:required" {
		rule, ok = Rule{Name: "required"}, true // of a field itself, it is Field.Required
	}
	rule.Under = strings.TrimSpace(name + args + " " + rule.Under)
	return rule, ok
}

// ruleValue is what a rule asks for.
func ruleValue(name, line, rest string) string {
	if name == "cel" {
		args, _ := tag.ParseArguments(strings.TrimPrefix(line, "+kubebuilder:validation:XValidation"))
		for _, arg := range args {
			if arg.Key == "rule" {
				return arg.Value
			}
		}
		return rest
	}
	_, text, _ := strings.Cut(rest, "=")
	if unquoted, err := strconv.Unquote(text); err == nil {
		return unquoted
	}
	return text
}

// enum are the values of a field: those that a tag lists, else those of its type or, for a list, of
// its items.
func (r *Reader) enum(owner *types.Type, m types.Member) []Value {
	if v := value(r.model.OfField(owner, m.Name), "kubebuilder:validation:Enum", "kubebuilder:validation:items:Enum"); v != "" {
		return listed(v)
	}
	t := Pointee(m.Type)
	if t.Kind == types.Slice {
		t = Pointee(t.Elem)
	}
	return r.Enum(t)
}

// Enum are the values of a declared type, nil if it is open.
func (r *Reader) Enum(t *types.Type) []Value {
	if t.Kind != types.Alias {
		return nil
	}
	r.comments(t.Name.Package)
	if v := value(r.model.OfType(t), "kubebuilder:validation:Enum"); v != "" {
		return listed(v)
	}
	pkg := r.model.Package(t.Name.Package)
	if pkg == nil || !has(r.model.OfType(t), "enum", "k8s:enum") {
		return nil
	}
	var out []Value
	for _, c := range pkg.Types.Constants {
		if c.Underlying == t && c.ConstValue != nil && !has(r.model.OfConstant(c), "k8s:enumExclude") {
			out = append(out, Value{JSON: constant(c), Doc: prose(r.model.Doc(c))})
		}
	}
	slices.SortFunc(out, func(a, b Value) int {
		return cmp.Or(strings.Compare(a.JSON, b.JSON), len(strings.Join(b.Doc, ""))-len(strings.Join(a.Doc, "")),
			strings.Compare(strings.Join(a.Doc, ""), strings.Join(b.Doc, "")))
	})
	return slices.CompactFunc(out, func(a, b Value) bool { return a.JSON == b.JSON })
}

func constant(c *types.Type) string {
	if basic, ok := c.GoType.Underlying().(*gotypes.Basic); ok && basic.Info()&gotypes.IsString != 0 {
		return strconv.Quote(*c.ConstValue)
	}
	return *c.ConstValue
}

// listed reads A;B;"C D";3.
func listed(text string) []Value {
	var out []Value
	for _, item := range tag.List(text) {
		if _, err := strconv.ParseFloat(item, 64); err != nil && item != "true" && item != "false" {
			item = strconv.Quote(item)
		}
		out = append(out, Value{JSON: item})
	}
	return out
}
