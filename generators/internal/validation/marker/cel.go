package marker

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/cel"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func celRules() []rule.Rule {
	doc := "A rule in CEL. Compiled to Go are fields of self and oldSelf, items of lists and entries of maps by [], has, size, and comparisons. " +
		"So are the operators + - * / %, in, !, &&, ||, ?:, and the functions string, int and double. " +
		"Of strings there are matches, startsWith, endsWith, contains, split, join, replace, trim, indexOf, lastIndexOf, substring, lowerAscii and upperAscii. " +
		"Texts may be written r'…' and \"\"\"…\"\"\", lists ['a', 'b']. Lists and the keys of maps have all, exists, exists_one, filter and map. " +
		"Times are duration() and timestamp(), with their arithmetic, their parts (getHours and so on) and texts, in UTC. A quantity() has its methods, sign() and isQuantity(). A metav1.Time is a timestamp, " +
		"a metav1.Duration a text that duration() takes, and quantity() takes a resource.Quantity. " +
		"Optional fields and items (self.?name, self.list[?0]) have hasValue, value, orValue and optMap, and a field that can be null can be compared with it. A rule with anything else is evaluated with cel-go, by module github.com/typeplane/typeplane/cel. " +
		"What the error says is message=, or messageExpression=, the CEL that makes it. " +
		"Its type is reason= (FieldValueInvalid, FieldValueForbidden, FieldValueRequired, FieldValueDuplicate), its place fieldPath= (.spec.name). " +
		"With optionalOldSelf=true the rule is also for new values, and oldSelf is optional."
	return []rule.Rule{
		{Name: rule.Kubebuilder + "XValidation", Scopes: rule.OnAny, Value: rule.Fields, Doc: doc,
			Example: "+" + rule.Kubebuilder + `XValidation:rule="self.min <= self.max",message="min must not be above max"`,
			Plan: marked(func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				list, err := tag.ParseArguments(t.Value)
				if err != nil {
					return plan.Plan{}, plan.Fault{Message: "it can't be read", Cure: `want rule="…",message="…"`}
				}
				args := map[string]string{}
				for _, a := range list {
					args[a.Key] = a.Value
				}
				return compiled(p, s, args)
			})},
		{Name: rule.OpenAPI + "cel", Scopes: rule.OnAny, Value: rule.Fields, Doc: doc + " The number in brackets joins the lines of one rule.",
			Example: "+" + rule.OpenAPI + "cel[0]:rule=\"self.min <= self.max\"", Plan: marked(indexedRule)},
	}
}

// indexed says that the lines of a rule have been taken.
type indexed bool

// indexedRule takes all lines of a rule when it comes to the first one that has text of the rule
// itself.
func indexedRule(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	index, rest, ok := strings.Cut(t.Value, "]:")
	if !ok {
		return plan.Plan{}, plan.Fault{Message: "it can't be read", Cure: "want it as in +" + rule.OpenAPI + `cel[0]:rule="self.min <= self.max"`}
	}
	if !strings.HasPrefix(rest, "rule") || bool(rule.Notes[indexed](p)[s.Path+" "+index]) {
		return plan.Plan{}, nil
	}
	rule.Notes[indexed](p)[s.Path+" "+index] = true
	args := map[string]string{}
	for mk := range s.Origin.Markers.All() {
		entry, found := strings.CutPrefix(mk.Text, "+"+rule.OpenAPI+s.MarkerPrefix+"cel"+index+"]:")
		if !found {
			continue
		}
		at := strings.IndexAny(entry, "=>")
		if at < 0 {
			return plan.Plan{}, plan.Fault{Message: "it can't be read", Cure: `want rule="…" or rule> …`}
		}
		key, value := entry[:at], strings.TrimSpace(entry[at+1:])
		if entry[at] == '=' {
			value = unquoted(value)
		} else if args[key] != "" {
			value = args[key] + "\n" + value
		}
		if !slices.Contains(celKeys, key) {
			return plan.Plan{}, plan.Fault{Message: "a rule has no " + key, Cure: "want " + strings.Join(celKeys, ", ")}
		}
		args[key] = value
	}
	return compiled(p, s, args)
}

var celKeys = []string{"rule", "message", "messageExpression", "reason", "fieldPath", "optionalOldSelf"}

func compiled(p *rule.Planner, s *rule.Site, args map[string]string) (plan.Plan, error) {
	return cel.Compile(cel.Rule{
		Self: s.Type, Rule: args["rule"], Message: args["message"], MessageExpression: args["messageExpression"],
		Reason: args["reason"], FieldPath: args["fieldPath"], OptionalOldSelf: args["optionalOldSelf"] == "true",
		Omits:  s.Member != nil && shape.Omitted(*s.Member),
		Absent: func(owner *types.Type, m types.Member) bool { return mayBeAbsent(p, owner, m) },
		Format: func(owner *types.Type, m types.Member) string { return fieldOf(p, owner, m).Format },
		Fields: func() []cel.Field { return fieldsIn(p, s.Type) },
	}, cel.Surroundings{
		Fresh:   func(prefix string) string { return p.Fresh(s.Path, prefix+p.VarName(s.Path, "")) },
		Lacking: func() string { return p.Lacking(cel.Module) },
		Foreign: p.Foreign(s.Origin.Owner),
	})
}
