package marker

import (
	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// sizeOf plans a rule about a size. A CustomResourceDefinition measures values as they are in JSON,
// where some are something else than in Go. Bytes are text, and so are types with a method of their
// own. A struct has as many entries as it writes.
func sizeOf(z declarative.Sized) func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error) {
	return func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
		if z.Suits(s.Type) == "" || !hasSize(z, s.Type) {
			return z.Plan(p, s, t)
		}
		measured := z
		measured.Suits = func(*types.Type) string { return "" }
		made, err := measured.Plan(p, s, t)
		if err != nil || len(made.Calls) == 0 {
			return made, err
		}
		h := inJSON[z.Fn]
		made.Calls[0].Func, made.Helpers = plan.Own(h.Name), []plan.Helper{h}
		return made, nil
	}
}

// hasSize tells whether values of a type may have the size in JSON.
func hasSize(z declarative.Sized, t *types.Type) bool {
	b := shape.Bare(t)
	own := shape.WritesOwnJSON(b)
	switch z.What {
	case "length":
		return own || shape.IsBytes(b)
	case "items":
		return !own && b.Kind == types.Slice && !shape.IsBytes(b)
	}
	return !own && (b.Kind == types.Struct || b.Kind == types.Map)
}

// measure is how a value in JSON is measured: the variable that it is read into, its type, how many
// there are in it, and what an error shows.
type measure struct{ variable, typ, count, actual string }

var (
	textMeasure  = measure{"text", "string", "len([]rune(text))", "text"}
	itemMeasure  = measure{"items", "[]json.RawMessage", "len(items)", "n"}
	entryMeasure = measure{"entries", "map[string]json.RawMessage", "len(entries)", "n"}
)

// inJSON are the helpers that measure values in JSON, by the function of the library whose place
// they take.
var inJSON = map[string]plan.Helper{
	"MinLength":     sizeHelper("validate_minLengthInJSON", textMeasure, "<", "TooShort", "minLength"),
	"MaxLength":     sizeHelper("validate_maxLengthInJSON", textMeasure, ">", "TooLongCharacters", "maxLength"),
	"MinItems":      sizeHelper("validate_minItemsInJSON", itemMeasure, "<", "TooFew", "minItems"),
	"MaxItems":      sizeHelper("validate_maxItemsInJSON", itemMeasure, ">", "TooMany", "maxItems"),
	"MinProperties": sizeHelper("validate_minPropertiesInJSON", entryMeasure, "<", "TooFew", "minProperties"),
	"MaxProperties": sizeHelper("validate_maxPropertiesInJSON", entryMeasure, ">", "TooMany", "maxProperties"),
}

func sizeHelper(name string, m measure, wrong, fault, origin string) plan.Helper {
	return plan.Helper{Name: name, Lines: func() [][]any {
		list := plan.Ident(plan.FieldPath, "ErrorList")
		return [][]any{
			{"// ", name, " is about a value as it stands in JSON. What is not there has no size."},
			{"func ", name, "[T any](_ ", plan.Ident("context", "Context"), ", _ ", plan.Ident(plan.OperationPath, "Operation"), ", fldPath *", plan.Ident(plan.FieldPath, "Path"), ", obj, _ T, bound int) ", list, " {"},
			{"data, err := ", plan.Ident("encoding/json", "Marshal"), "(obj)"},
			{"var ", m.variable, " ", m.typ},
			{"if err != nil || string(data) == \"null\" || json.Unmarshal(data, &", m.variable, ") != nil {"},
			{"return nil"},
			{"}"},
			{"if n := ", m.count, "; n ", wrong, " bound {"},
			{"return ", list, "{", plan.Ident(plan.FieldPath, fault), "(fldPath, ", m.actual, ", bound).WithOrigin(\"", origin, "\")}"},
			{"}"},
			{"return nil"},
			{"}"},
		}
	}}
}
