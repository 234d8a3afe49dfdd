package validation

import (
	"fmt"

	"k8s.io/gengo/v2/codetags"
)

func compareRules() []rule {
	return []rule{
		{name: "k8s:neq", scopes: onAny, value: anyValue, example: `+k8s:neq="none"`, doc: "A value that a string, integer or bool must not have.", plan: notEqual},
		{name: "k8s:immutable", scopes: onType | onField | onItem | onValue, example: "+k8s:immutable",
			doc: "The value is set when the object is created, or never, and does not change.",
			plan: func(*planner, *site, codetags.Tag) (plan, error) {
				return of(call{fn: lib("Immutable"), stop: true, emits: []emission{{"FieldValueInvalid", "immutable", ""}}}), nil
			}},
		{name: "k8s:monotonic", scopes: onType | onField, example: "+k8s:monotonic", doc: "The integer never gets smaller.",
			plan: func(_ *planner, s *site, _ codetags.Tag) (plan, error) {
				if !isInt(bare(s.typ)) {
					return plan{}, fault{"it is for integers, and this is " + aKind(s.typ), "remove the tag"}
				}
				return of(call{fn: lib("Monotonic")}), nil
			}},
	}
}

func notEqual(_ *planner, s *site, t codetags.Tag) (plan, error) {
	value, err := valueFor(s, t)
	if err != nil {
		return plan{}, err
	}
	return of(call{fn: lib("NEQ"), args: []any{value}, emits: []emission{{"FieldValueInvalid", "neq", ""}}}), nil
}

// valueFor reads the payload of a tag as a value of the type it stands on.
func valueFor(s *site, t codetags.Tag) (any, error) {
	b := bare(s.typ)
	wrong := func(want, example string) error {
		return fault{fmt.Sprintf("the value %s is no %s, which this is", shownValue(t), want), "want it as in +" + t.Name + "=" + example}
	}
	switch {
	case isString(b):
		if t.ValueType != codetags.ValueTypeString {
			return nil, wrong("string", `"none"`)
		}
		return t.Value, nil
	case isBool(b):
		if t.ValueType != codetags.ValueTypeBool {
			return nil, wrong("bool", "false")
		}
		return t.Value == "true", nil
	case isInt(b):
		if t.ValueType != codetags.ValueTypeInt {
			return nil, wrong("integer", "0")
		}
		return intFor(s.typ, t.Value)
	}
	return nil, fault{"it is for strings, integers and bools, and this is " + aKind(s.typ), "remove the tag"}
}
