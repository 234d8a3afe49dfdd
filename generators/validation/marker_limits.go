package validation

import (
	"fmt"
	"math/big"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/emit"
)

func markerLimitRules() []rule {
	example := func(name, value string) string { return "+" + kubebuilder + name + "=" + value }
	size := func(name, value, doc string, z sized) marker {
		return marker{name: name, rule: rule{scopes: onAny, value: integer, example: example(name, value), doc: doc, plan: z.plan}}
	}
	bound := func(name, value, doc string, lower bool) marker {
		return marker{name: name, rule: rule{scopes: onAny, value: words, example: example(name, value), doc: doc,
			plan: func(_ *planner, s *site, t codetags.Tag) (plan, error) { return markerBound(s, t, lower) }}}
	}
	exclusive := func(name, bound string) marker {
		return marker{name: name, rule: rule{scopes: onAny, value: flag, example: example(name, "true"), doc: "With " + bound + ": the bound itself is not allowed.",
			plan: func(_ *planner, s *site, t codetags.Tag) (plan, error) {
				if _, ok := sibling(s, t, bound); !ok {
					return plan{}, fault{"there is no " + bound + " that it could be about", "add " + example(bound, "0") + ", or remove the tag"}
				}
				return plan{}, nil
			}}}
	}
	return spelled(
		size("MinLength", "1", "Fewest characters of a string.", sized{fn: "MinLength", what: "length", lower: true, emits: "FieldValueTooShort", origin: "minLength", suits: wantString}),
		size("MaxLength", "63", "Most characters of a string.", sized{fn: "MaxLength", what: "length", emits: "FieldValueTooLong", origin: "maxLength", suits: wantString}),
		size("MinItems", "1", "Fewest items of a list.", sized{fn: "MinItems", what: "items", lower: true, emits: "FieldValueTooFew", origin: "minItems", suits: wantList}),
		size("MaxItems", "16", "Most items of a list. If there are more, the items are not validated.", sized{fn: "MaxItems", what: "items", stop: true, emits: "FieldValueTooMany", origin: "maxItems", suits: wantList}),
		size("MinProperties", "1", "Fewest entries of a map.", sized{fn: "MinProperties", what: "entries", lower: true, emits: "FieldValueTooFew", origin: "minProperties", suits: wantMap}),
		size("MaxProperties", "64", "Most entries of a map. If there are more, they are not validated.", sized{fn: "MaxProperties", what: "entries", stop: true, emits: "FieldValueTooMany", origin: "maxProperties", suits: wantMap}),
		bound("Minimum", "0", "Smallest value of a number.", true),
		bound("Maximum", "65535", "Largest value of a number.", false),
		exclusive("ExclusiveMinimum", "Minimum"),
		exclusive("ExclusiveMaximum", "Maximum"),
		marker{name: "MultipleOf", rule: rule{scopes: onAny, value: words, example: example("MultipleOf", "10"), doc: "The number can be divided by this one.", plan: multipleOf}},
	)
}

// off tells whether a flag says false.
func off(t codetags.Tag) bool { return t.Value == "false" }

// markerBound bounds an integer or a floating-point number.
func markerBound(s *site, t codetags.Tag, lower bool) (plan, error) {
	value, err := numberFor(s, t.Value)
	if err != nil {
		return plan{}, err
	}
	name := "ExclusiveMaximum"
	if lower {
		name = "ExclusiveMinimum"
	}
	said, exclusive := sibling(s, t, name)
	exclusive = exclusive && said != "false"
	if _, isFloat := value.(float64); !isFloat && !exclusive {
		return intBound(s.typ, fmt.Sprint(value), lower)
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
	out := helperCall(h, emission{"FieldValueInvalid", origin, ""}, value)
	bound, _, err := big.ParseFloat(strings.TrimSpace(t.Value), 10, 200, big.ToNearestEven)
	if err != nil {
		return plan{}, err
	}
	out.calls[0].limit = &limit{what: "value", lower: lower, exclusive: exclusive, value: bound}
	return out, nil
}

// numberFor reads a number that the type of a site can have: an integer, or a float64.
func numberFor(s *site, text string) (any, error) {
	b := bare(s.typ)
	number, _, err := big.ParseFloat(text, 10, 200, big.ToNearestEven)
	switch {
	case !isInt(b) && !isFloat(b):
		return nil, fault{"it is for numbers, and this is " + aKind(s.typ), "remove the tag"}
	case err != nil:
		return nil, fault{text + " is no number", "write it as in 10 or 0.5"}
	case isFloat(b):
		value, _ := number.Float64()
		return value, nil
	case !number.IsInt():
		return nil, fault{text + " is no integer, as all values here are", "round it"}
	}
	return intFor(s.typ, number.Text('f', 0))
}

func multipleOf(_ *planner, s *site, t codetags.Tag) (plan, error) {
	value, err := numberFor(s, t.Value)
	if err != nil {
		return plan{}, err
	}
	emits := emission{"FieldValueInvalid", "multipleOf", ""}
	switch v := value.(type) {
	case float64:
		if v > 0 {
			return helperCall(helperFloatMultiple, emits, v), nil
		}
	case int64:
		if v > 0 {
			return helperCall(helperMultiple, emits, v), nil
		}
	case uint64:
		if v > 0 {
			return helperCall(helperMultiple, emits, v), nil
		}
	}
	return plan{}, fault{t.Value + " has no multiples to speak of", "want a number above 0"}
}

const (
	integers = "~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64"
	numbers  = integers + " | ~float32 | ~float64"
)

// invalid is the line of a helper that returns field.Invalid; message is a Go expression.
func invalid(origin string, message ...any) []any {
	line := []any{"return ", ident(fieldPath, "ErrorList"), "{", ident(fieldPath, "Invalid"), "(fldPath, *obj, "}
	line = append(line, message...)
	return append(line, `).WithOrigin("`, origin, `")}`)
}

func sprintf(format string, args string) []any {
	return []any{ident("fmt", "Sprintf"), `("` + format + `", ` + args + ")"}
}

func bounded(name, doc, condition, message, origin string) helper {
	return validator(name, doc, numbers, []any{"bound T"},
		[]any{"if " + condition + " {"}, invalid(origin, sprintf(message+" %v", "bound")...), []any{"}"})
}

var (
	helperAtLeast  = bounded("validate_atLeast", "wants a number that is not below the bound.", "*obj < bound", "must be greater than or equal to", "minimum")
	helperAtMost   = bounded("validate_atMost", "wants a number that is not above the bound.", "*obj > bound", "must be less than or equal to", "maximum")
	helperMoreThan = bounded("validate_moreThan", "wants a number above the bound.", "*obj <= bound", "must be greater than", "minimum")
	helperLessThan = bounded("validate_lessThan", "wants a number below the bound.", "*obj >= bound", "must be less than", "maximum")

	helperMultiple = validator("validate_multipleOf", "wants a multiple of n.", integers, []any{"n T"},
		[]any{"if *obj%n != 0 {"}, invalid("multipleOf", sprintf("must be a multiple of %d", "n")...), []any{"}"})
	helperFloatMultiple = validator("validate_floatMultipleOf", "wants a multiple of n, as far as floating-point numbers can tell.", "~float32 | ~float64", []any{"n T"},
		[]any{"times := float64(*obj / n)"},
		[]any{"if ", emit.Ident{Path: "math", Name: "Abs"}, "(times-math.Round(times)) > 1e-6 {"}, invalid("multipleOf", sprintf("must be a multiple of %v", "n")...), []any{"}"})
)
