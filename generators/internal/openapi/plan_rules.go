package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// setRule takes one line of a rule of kube-openapi's family: cel[0]:rule, cel[0]:message and so on.
func (s *schema) setRule(mark mark) error {
	index, field, _ := strings.Cut(strings.TrimPrefix(mark.name, "cel["), "]")
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 || n > len(s.Rules) {
		return fmt.Errorf("the number %s is out of order", index)
	}
	if n == len(s.Rules) {
		s.Rules = append(s.Rules, rule{})
	}
	kind := "string"
	if field = strings.TrimPrefix(field, ":"); field == "optionalOldSelf" {
		kind = "boolean"
	}
	value, err := mark.value(kind)
	if err != nil {
		return err
	}
	return s.Rules[n].set(field, textOf(string(value)))
}

// set sets one part of a rule.
func (r *rule) set(field, text string) error {
	switch field {
	case "rule":
		r.Rule = text
	case "message":
		r.Message = text
	case "messageExpression":
		r.MessageExpression = text
	case "fieldPath":
		r.FieldPath = text
	case "reason":
		if !slices.Contains(reasons, text) {
			return fmt.Errorf("the reason %q is not known; want %s", text, list(reasons, "or"))
		}
		r.Reason = text
	case "optionalOldSelf":
		old := text == "true"
		if !old && text != "false" {
			return fmt.Errorf("optionalOldSelf is %q; want true or false", text)
		}
		r.OptionalOldSelf = &old
	default:
		return fmt.Errorf("a rule has no %q; it has rule, message, messageExpression, reason, fieldPath and optionalOldSelf", field)
	}
	return nil
}

// reasons are those that clients know.
var reasons = []string{"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"}

// checkRules reports rules of kube-openapi's family that are not whole.
func (m *models) checkRules(s *schema, at place) {
	for i, r := range s.Rules {
		name := fmt.Sprintf("+%scel[%d]", openapiFamily, i)
		switch {
		case r.Rule == "":
			m.fieldProblem(at, name+" has no rule", "add "+name+`:rule="self > 0"`)
		case r.Message == "" && r.MessageExpression == "":
			m.fieldProblem(at, name+" has no message", "add "+name+`:message="must be greater than 0"`)
		case r.Message != "" && r.MessageExpression != "":
			m.fieldProblem(at, name+" has a message and a messageExpression", "keep one of them")
		}
	}
	for _, inner := range []*schema{s.Items, s.AdditionalProperties} {
		if inner != nil {
			m.checkRules(inner, at)
		}
	}
}

// kubebuilderRules reads the rules of kubebuilder's family, and what it makes rules of.
func (m *models) kubebuilderRules(p part, markers model.Markers, at place) {
	p.own.Rules = append(p.own.Rules, m.rulesOf(tagRule, markers, at)...)
	if has(markers, tagImmutable) {
		p.own.Rules = append(p.own.Rules, rule{Rule: "self == oldSelf", Message: "field is immutable"})
	}
	if rules := m.rulesOf(tagItemsRule, markers, at); len(rules) > 0 {
		if items, ok := m.descend(p, mark{tag: tagItemsRule, path: []step{{kind: "items"}}}, at); ok {
			items.own.Rules = append(items.own.Rules, rules...)
		}
	}
	for _, marker := range oneOfMarkers {
		for _, text := range markers.Values(marker.tag) {
			if m.kindOf(p) != "object" {
				m.misfit(at, fmt.Sprintf("+%s is for structs, and this is %s", marker.tag, m.named(p)), "remove the tag")
				continue
			}
			p.own.Rules = append(p.own.Rules, m.fieldCount(p, marker, text, at))
		}
	}
}

func (m *models) rulesOf(name string, markers model.Markers, at place) []rule {
	said, err := markers.Arguments(name)
	if err != nil {
		m.fieldProblem(at, err.Error(), `write it like +`+name+`:rule="self > 0",message="must be greater than 0"`)
	}
	var out []rule
	for _, arguments := range said {
		var r rule
		for _, a := range arguments {
			if err := r.set(a.Key, a.Value); err != nil {
				m.fieldProblem(at, "+"+name+": "+err.Error(), "change it")
			}
		}
		if r.Rule == "" {
			m.fieldProblem(at, "+"+name+" has no rule", `write it like +`+name+`:rule="self > 0",message="must be greater than 0"`)
			continue
		}
		out = append(out, r)
	}
	return out
}

// oneOfMarker says how many of some fields are set: each is a term of the rule.
type oneOfMarker struct{ tag, term, between, end, message string }

// oneOfMarkers are in the order, and of the words, of controller-gen.
var oneOfMarkers = []oneOfMarker{
	{tagAtMostOneOf, "(has(self.%s)?1:0)", "+", " <= 1", "at most one of the fields in %v may be set"},
	{tagExactlyOneOf, "(has(self.%s)?1:0)", "+", " == 1", "exactly one of the fields in %v must be set"},
	{tagAtLeastOneOf, "has(self.%s)", "||", "", "at least one of the fields in %v must be set"},
}

// fieldCount is the rule that counts which of the fields in text are set.
func (m *models) fieldCount(p part, marker oneOfMarker, text string, at place) rule {
	names := tag.List(text)
	fields := map[string]field{}
	m.collect(model.Plain(p.t), at.path, 0, nil, fields)
	var terms []string
	for _, name := range names {
		if _, ok := fields[name]; !ok {
			m.fieldProblem(at, fmt.Sprintf("+%s=%s: %s has no field with the JSON name %q", marker.tag, text, p.t.Name.Name, name), "name fields as JSON has them, like a;b")
		}
		terms = append(terms, fmt.Sprintf(marker.term, name))
	}
	return rule{
		Rule:    strings.Join(terms, marker.between) + marker.end,
		Message: fmt.Sprintf(marker.message, names),
	}
}
