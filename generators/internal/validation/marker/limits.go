package marker

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func limitRules() []rule.Rule {
	example := func(name, value string) string { return "+" + rule.Kubebuilder + name + "=" + value }
	size := func(name, value, doc string, z declarative.Sized) marker {
		return marker{name: name, rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Integer, Example: example(name, value), Doc: doc, Plan: sizeOf(z)}}
	}
	bound := func(name, value, doc string, lower bool) marker {
		return marker{name: name, rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Words, Example: example(name, value), Doc: doc,
			Plan: func(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return markerBound(s, t, lower)
			}}}
	}
	exclusive := func(name, bound string) marker {
		return marker{name: name, rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Flag, Example: example(name, "true"), Doc: "With " + bound + ": the bound itself is not allowed.",
			Plan: func(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				if _, ok := sibling(s, t, bound); !ok {
					return plan.Plan{}, plan.Fault{Message: "there is no " + bound + " that it could be about", Cure: "add " + example(bound, "0") + ", or remove the tag"}
				}
				return plan.Plan{}, nil
			}}}
	}
	return spelled(
		size("MinLength", "1", "Fewest characters of a string.", declarative.Sized{Fn: "MinLength", What: "length", Lower: true, Emits: "FieldValueTooShort", Origin: "minLength", Suits: shape.WantString}),
		size("MaxLength", "63", "Most characters of a string.", declarative.Sized{Fn: "MaxLength", What: "length", Emits: "FieldValueTooLong", Origin: "maxLength", Suits: shape.WantString}),
		size("MinItems", "1", "Fewest items of a list.", declarative.Sized{Fn: "MinItems", What: "items", Lower: true, Emits: "FieldValueTooFew", Origin: "minItems", Suits: shape.WantList}),
		size("MaxItems", "16", "Most items of a list. If there are more, the items are not validated.", declarative.Sized{Fn: "MaxItems", What: "items", Stop: true, Emits: "FieldValueTooMany", Origin: "maxItems", Suits: shape.WantList}),
		size("MinProperties", "1", "Fewest entries of a map.", declarative.Sized{Fn: "MinProperties", What: "entries", Lower: true, Emits: "FieldValueTooFew", Origin: "minProperties", Suits: shape.WantMap}),
		size("MaxProperties", "64", "Most entries of a map. If there are more, they are not validated.", declarative.Sized{Fn: "MaxProperties", What: "entries", Stop: true, Emits: "FieldValueTooMany", Origin: "maxProperties", Suits: shape.WantMap}),
		bound("Minimum", "0", "Smallest value of a number.", true),
		bound("Maximum", "65535", "Largest value of a number.", false),
		exclusive("ExclusiveMinimum", "Minimum"),
		exclusive("ExclusiveMaximum", "Maximum"),
		marker{name: "MultipleOf", rule: rule.Rule{Scopes: rule.OnAny, Value: rule.Words, Example: example("MultipleOf", "10"), Doc: "The number can be divided by this one.", Plan: multipleOf}},
	)
}

// off tells whether a flag says false.
func off(t codetags.Tag) bool { return t.Value == "false" }

// markerBound bounds an integer or a floating-point number.
func markerBound(s *rule.Site, t codetags.Tag, lower bool) (plan.Plan, error) {
	value, err := numberFor(s, t.Value)
	if err != nil {
		return plan.Plan{}, err
	}
	name := "ExclusiveMaximum"
	if lower {
		name = "ExclusiveMinimum"
	}
	said, exclusive := sibling(s, t, name)
	exclusive = exclusive && said != "false"
	if _, isFloat := value.(float64); !isFloat && !exclusive {
		return declarative.IntBound(s.Type, fmt.Sprint(value), lower)
	}
	h, origin := helperAtMost, "maximum"
	switch {
	case lower && exclusive:
		h, origin = helperMoreThan, "minimum"
	case lower:
		h, origin = helperAtLeast, "minimum"
	case exclusive:
		h = helperLessThan
	}
	out := plan.HelperCall(h, plan.Emission{Type: "FieldValueInvalid", Origin: origin, Path: ""}, value)
	bound, _, err := big.ParseFloat(strings.TrimSpace(t.Value), 10, 200, big.ToNearestEven)
	if err != nil {
		return plan.Plan{}, err
	}
	out.Calls[0].Limit = &plan.Limit{What: "value", Lower: lower, Exclusive: exclusive, Value: bound}
	return out, nil
}

// numberFor reads a number that the type of a site can have: an integer, or a float64.
func numberFor(s *rule.Site, text string) (any, error) {
	b := shape.Bare(s.Type)
	number, _, err := big.ParseFloat(text, 10, 200, big.ToNearestEven)
	switch {
	case !shape.IsInt(b) && !shape.IsFloat(b):
		return nil, plan.Fault{Message: "it is for numbers, and this is " + shape.AKind(s.Type), Cure: "remove the tag", Misfit: true}
	case err != nil:
		return nil, plan.Fault{Message: text + " is no number", Cure: "write it as in 10 or 0.5"}
	case shape.IsFloat(b):
		value, _ := number.Float64()
		if math.IsInf(value, 0) {
			return nil, plan.Fault{Message: text + " is more than a float64 can be, so it limits nothing", Cure: "choose a smaller one, or remove the tag"}
		}
		return value, nil
	case number.IsInf() || number.MantExp(nil) > 64: // written out, it could have any number of digits
		return nil, plan.Fault{Message: text + " is more than an integer can be, so it limits nothing", Cure: "choose a smaller one, or remove the tag"}
	case !number.IsInt():
		return nil, plan.Fault{Message: text + " is no integer, as all values here are", Cure: "round it"}
	}
	return declarative.IntFor(s.Type, number.Text('f', 0))
}

func multipleOf(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	value, err := numberFor(s, t.Value)
	if err != nil {
		return plan.Plan{}, err
	}
	emits := plan.Emission{Type: "FieldValueInvalid", Origin: "multipleOf", Path: ""}
	switch v := value.(type) {
	case float64:
		if v > 0 {
			return plan.HelperCall(helperFloatMultiple, emits, v), nil
		}
	case int64:
		if v > 0 {
			return plan.HelperCall(helperMultiple, emits, v), nil
		}
	case uint64:
		if v > 0 {
			return plan.HelperCall(helperMultiple, emits, v), nil
		}
	}
	return plan.Plan{}, plan.Fault{Message: t.Value + " has no multiples to speak of", Cure: "want a number above 0"}
}

const (
	integers = "~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64"
	numbers  = integers + " | ~float32 | ~float64"
)

// invalid is the line of a helper that returns field.Invalid; message is a Go expression.
func invalid(origin string, message ...any) []any {
	line := []any{"return ", plan.Ident(plan.FieldPath, "ErrorList"), "{", plan.Ident(plan.FieldPath, "Invalid"), "(fldPath, *obj, "}
	line = append(line, message...)
	return append(line, `).WithOrigin("`, origin, `")}`)
}

func sprintf(format string, args string) []any {
	return []any{plan.Ident("fmt", "Sprintf"), `("` + format + `", ` + args + ")"}
}

func bounded(name, doc, condition, message, origin string) plan.Helper {
	return plan.Validator(name, doc, numbers, []any{"bound T"},
		[]any{"if " + condition + " {"}, invalid(origin, sprintf(message+" %v", "bound")...), []any{"}"})
}

var (
	helperAtLeast  = bounded("validate_atLeast", "wants a number that is not below the bound.", "*obj < bound", "must be greater than or equal to", "minimum")
	helperAtMost   = bounded("validate_atMost", "wants a number that is not above the bound.", "*obj > bound", "must be less than or equal to", "maximum")
	helperMoreThan = bounded("validate_moreThan", "wants a number above the bound.", "*obj <= bound", "must be greater than", "minimum")
	helperLessThan = bounded("validate_lessThan", "wants a number below the bound.", "*obj >= bound", "must be less than", "maximum")

	helperMultiple = plan.Validator("validate_multipleOf", "wants a multiple of n.", integers, []any{"n T"},
		[]any{"if *obj%n != 0 {"}, invalid("multipleOf", sprintf("must be a multiple of %d", "n")...), []any{"}"})
	helperFloatMultiple = plan.Validator("validate_floatMultipleOf", "wants a multiple of n, as far as floating-point numbers can tell.", "~float32 | ~float64", []any{"n T"},
		[]any{"times := float64(*obj / n)"},
		[]any{"if ", emit.Ident{Path: "math", Name: "Abs"}, "(times-math.Round(times)) > 1e-6 {"}, invalid("multipleOf", sprintf("must be a multiple of %v", "n")...), []any{"}"})
)
