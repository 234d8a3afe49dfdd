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
	doc := "A rule in CEL, compiled to Go: fields of self and oldSelf, items of lists and entries of maps by [], has, size, comparisons, + - * / %, in, !, &&, ||, ?:, " +
		"string, int, double, matches, startsWith, endsWith, contains, lists like ['a', 'b'], and over lists and the keys of maps all, exists, exists_one, filter and map, " +
		"duration() and timestamp() with their arithmetic, their parts (getHours and so on) and texts, in UTC, quantity() with its methods, sign() and isQuantity(). A metav1.Time is a timestamp, " +
		"a metav1.Duration a text that duration() takes, and quantity() takes a resource.Quantity. " +
		"Optional fields and items (self.?name, self.list[?0]) have hasValue, value, orValue and optMap, and a field that can be null can be compared with it. message= is what the error says, messageExpression= the CEL that makes it, " +
		"reason= its type (FieldValueInvalid, FieldValueForbidden, FieldValueRequired, FieldValueDuplicate), fieldPath= where it is (.spec.name); " +
		"with optionalOldSelf=true the rule is also for new values, and oldSelf is optional."
	return []rule{
		{name: kubebuilder + "XValidation", scopes: onAny, value: fields, doc: doc,
			example: "+" + kubebuilder + `XValidation:rule="self.min <= self.max",message="min must not be above max"`,
			plan: marked(func(p *planner, s *site, t codetags.Tag) (plan, error) {
				list, err := tag.ParseArguments(t.Value)
				if err != nil {
					return plan{}, fault{"it can't be read", `want rule="…",message="…"`}
				}
				args := map[string]string{}
				for _, a := range list {
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
	for mk := range s.origin.markers.All() {
		entry, found := strings.CutPrefix(mk.Text, "+"+openAPI+s.markerPrefix+"cel"+index+"]:")
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
		if !slices.Contains(celKeys, key) {
			return plan{}, fault{"a rule has no " + key, "want " + strings.Join(celKeys, ", ")}
		}
		args[key] = value
	}
	return p.celRule(s, args)
}

var celKeys = []string{"rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"}

// reasons are the errors that a rule can ask for, by the function of package field.
var reasons = map[string]string{
	"": "Invalid", "FieldValueInvalid": "Invalid", "FieldValueDuplicate": "Duplicate",
	"FieldValueForbidden": "Forbidden", "FieldValueRequired": "Required",
}

const byHand = "write the rule in the strategy's Validate, in Go"

func (p *planner) celRule(s *site, args map[string]string) (plan, error) {
	if args["rule"] == "" {
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
	tr := &translator{p: p, site: s, name: p.varName(s.path, ""), optional: args["optionalOldSelf"] == "true"}
	f := &celFunction{site: s, name: "validate_rule_" + tr.name, path: path, reason: reason, message: celMessage(args)}
	if f.condition, err = celTranslated(args["rule"], "rule", tr.condition); err != nil {
		return plan{}, err
	}
	f.transition = tr.usesOld && !tr.optional
	if text := args["messageExpression"]; text != "" {
		if _, err := celTranslated(text, "messageExpression", func(e *cel.Expr) (_ condition, err error) {
			f.computed, err = tr.text(e)
			return condition{}, err
		}); err != nil {
			return plan{}, err
		}
		tr.use(helperMessage)
	}
	f.usesOld = tr.usesOld
	f.name = p.fresh(f.name)
	return plan{
		calls:   []call{{fn: own(f.name), emits: []emission{{"FieldValue" + reason, "rule", ""}}}},
		helpers: append(tr.helpers, helper{f.name, f.lines}), vars: tr.vars,
	}, nil
}

// celTranslated reads CEL and translates it.
func celTranslated(source, name string, translate translation) (condition, error) {
	expr, err := cel.Parse(source)
	if err != nil {
		return condition{}, fault{fmt.Sprintf("the %s can't be read: %v", name, err), "correct it"}
	}
	c, err := translate(expr)
	if err != nil {
		return condition{}, fault{fmt.Sprintf("the %s can't be translated: %v", name, err), byHand}
	}
	return c, nil
}

// celMessage is what the error says, if no expression says it better.
func celMessage(args map[string]string) string {
	if args["message"] != "" {
		return args["message"]
	}
	return "failed rule: " + strings.Join(strings.Fields(args["rule"]), " ")
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
