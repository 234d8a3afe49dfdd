package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/tag"
	"github.com/typeplane/typeplane/generators/validation/cel"
)

func celRules() []rule {
	doc := "A rule in CEL, compiled to Go: fields of self and oldSelf, has, size, comparisons, in, !, &&, ||, ?:, matches, startsWith, endsWith, contains, all and exists. " +
		"message= is what the error says, reason= its type (FieldValueInvalid, FieldValueForbidden, FieldValueRequired, FieldValueDuplicate), fieldPath= where it is (.spec.name)."
	return []rule{
		{name: kubebuilder + "XValidation", scopes: onAny, value: fields, doc: doc,
			example: "+" + kubebuilder + `XValidation:rule="self.min <= self.max",message="min must not be above max"`,
			plan: marked(func(p *planner, s *site, t codetags.Tag) (plan, error) {
				lists, err := tag.Arguments([]string{"+x" + t.Value}, "x")
				if err != nil || len(lists) != 1 {
					return plan{}, fault{"it can't be read", `want rule="…",message="…"`}
				}
				args := map[string]string{}
				for _, a := range lists[0] {
					args[a.Key] = a.Value
				}
				return p.celRule(s, args)
			})},
		{name: openAPI + "cel", scopes: onAny, value: fields, doc: doc + " The number in brackets joins the lines of one rule.",
			example: "+" + openAPI + "cel[0]:rule=\"self.min <= self.max\"", plan: marked((*planner).indexedRule)},
	}
}

// indexedRule takes all lines of a rule when it comes to the first one that has text of the rule itself.
func (p *planner) indexedRule(s *site, t codetags.Tag) (plan, error) {
	index, rest, ok := strings.Cut(t.Value, "]:")
	if !ok {
		return plan{}, fault{"it can't be read", "want it as in +" + openAPI + `cel[0]:rule="self.min <= self.max"`}
	}
	if !strings.HasPrefix(rest, "rule") || p.inherited[s.path+" "+index] {
		return plan{}, nil
	}
	p.inherited[s.path+" "+index] = true
	args := map[string]string{}
	for _, line := range s.origin.lines {
		entry, found := strings.CutPrefix(strings.TrimSpace(line), "+"+openAPI+s.markerPrefix+"cel"+index+"]:")
		if !found {
			continue
		}
		at := strings.IndexAny(entry, "=>")
		if at < 0 {
			return plan{}, fault{"it can't be read", `want rule="…" or rule> …`}
		}
		key, value := entry[:at], strings.TrimSpace(entry[at+1:])
		if entry[at] == '=' {
			value = unquoted(value)
		} else if args[key] != "" {
			value = args[key] + "\n" + value
		}
		args[key] = value
	}
	return p.celRule(s, args)
}

// reasons are the errors that a rule can ask for, by the function of package field.
var reasons = map[string]string{
	"": "Invalid", "FieldValueInvalid": "Invalid", "FieldValueDuplicate": "Duplicate",
	"FieldValueForbidden": "Forbidden", "FieldValueRequired": "Required",
}

const byHand = "write the rule in the strategy's Validate, in Go"

func (p *planner) celRule(s *site, args map[string]string) (plan, error) {
	for key := range args {
		if !slices.Contains([]string{"rule", "message", "reason", "fieldPath"}, key) {
			return plan{}, fault{key + " of a rule is not supported", byHand}
		}
	}
	source := args["rule"]
	if source == "" {
		return plan{}, fault{"there is no rule", `want rule="…"`}
	}
	reason, ok := reasons[args["reason"]]
	if !ok {
		return plan{}, fault{"there is no reason " + args["reason"], "want FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate"}
	}
	path, err := celPath(s, args["fieldPath"])
	if err != nil {
		return plan{}, err
	}
	expr, err := cel.Parse(source)
	if err != nil {
		return plan{}, fault{fmt.Sprintf("the rule can't be read: %v", err), "correct it"}
	}
	tr := &translator{p: p, site: s, name: p.varName(s.path, "")}
	condition, err := tr.condition(expr)
	if err != nil {
		return plan{}, fault{fmt.Sprintf("the rule can't be translated: %v", err), byHand}
	}
	message := args["message"]
	if message == "" {
		message = "failed rule: " + strings.Join(strings.Fields(source), " ")
	}
	h := p.celFunction(s, tr, condition, path, reason, message)
	return plan{
		calls:   []call{{fn: own(h.name), emits: []emission{{"FieldValue" + reason, "rule", ""}}}},
		helpers: []helper{h}, vars: tr.vars,
	}, nil
}

// celPath is the Go expression of the path at which the error is.
func celPath(s *site, path string) (string, error) {
	if path == "" {
		return "fldPath", nil
	}
	out, at := "fldPath", bare(s.typ)
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if at.Kind != types.Struct {
			return "", fault{"fieldPath=" + path + " names something that is in no struct", "name a field, as in .spec.name"}
		}
		m := memberByJSON(at, name)
		if m == nil {
			return "", noSuchField(at, name)
		}
		out += fmt.Sprintf(".Child(%q)", name)
		at = bare(m.Type)
	}
	return out, nil
}

// celFunction is the function of the generated file that checks a rule.
func (p *planner) celFunction(s *site, tr *translator, condition []any, path, fn, message string) helper {
	name := p.fresh("validate_rule_" + tr.name)
	return helper{name, func() [][]any {
		old := "_"
		if tr.usesOld {
			old = "oldObj"
		}
		op := "_"
		if tr.usesOld {
			op = "op"
		}
		list := ident(fieldPath, "ErrorList")
		lines := [][]any{
			{"// ", name, " checks: ", message},
			{"func ", name, "(_ ", ident("context", "Context"), ", ", op, " ", ident(operationPath, "Operation"), ", fldPath *", ident(fieldPath, "Path"),
				", obj, ", old, " ", nilableForm(s.typ), ") ", list, " {"},
		}
		if tr.usesOld {
			lines = append(lines, []any{"if op.Type != ", ident(operationPath, "Update"), " || oldObj == nil {"}, []any{"return nil // a rule about a change"}, []any{"}"})
		}
		if k := native(s.typ).Kind; k != types.Slice && k != types.Map {
			lines = append(lines, []any{"if obj == nil {"}, []any{"return nil"}, []any{"}"})
		}
		lines = append(lines, append(append([]any{"if "}, condition...), " {"), []any{"return nil"}, []any{"}"})
		return append(lines, failure(s, path, fn, message), []any{"}"})
	}}
}

// failure is the line that returns the error of a rule.
func failure(s *site, path, fn, message string) []any {
	line := []any{"return ", ident(fieldPath, "ErrorList"), "{", ident(fieldPath, fn), "(", path, ", "}
	if fn == "Invalid" || fn == "Duplicate" {
		if bare(s.typ).Kind == types.Builtin && path == "fldPath" {
			line = append(line, "*obj")
		} else {
			line = append(line, ident(fieldPath, "OmitValueType"), "{}")
		}
	}
	switch fn {
	case "Invalid":
		line = append(line, ", ", fmt.Sprintf("%q", message))
	case "Forbidden", "Required":
		line = append(line, fmt.Sprintf("%q", message))
	}
	return append(line, `).WithOrigin("rule")}`)
}
