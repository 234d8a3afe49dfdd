package declarative

import (
	"fmt"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func compareRules() []rule.Rule {
	return []rule.Rule{
		{Name: "k8s:neq", Scopes: rule.OnAny, Value: rule.AnyValue, Example: `+k8s:neq="none"`, Doc: "A value that a string, integer or bool must not have.", Plan: notEqual},
		{Name: "k8s:immutable", Scopes: rule.OnType | rule.OnField | rule.OnItem | rule.OnValue, Example: "+k8s:immutable",
			Doc: "The value is set when the object is created, or never, and does not change.",
			Plan: func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error) {
				return plan.Of(plan.Call{Func: plan.Lib("Immutable"), Stop: true, Emits: []plan.Emission{{Type: "FieldValueInvalid", Origin: "immutable", Path: ""}}}), nil
			}},
		{Name: "k8s:monotonic", Scopes: rule.OnType | rule.OnField, Example: "+k8s:monotonic", Doc: "The integer never gets smaller.",
			Plan: func(_ *rule.Planner, s *rule.Site, _ codetags.Tag) (plan.Plan, error) {
				if !shape.IsInt(shape.Bare(s.Type)) {
					return plan.Plan{}, plan.Fault{Message: "it is for integers, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
				}
				return plan.Of(plan.Call{Func: plan.Lib("Monotonic")}), nil
			}},
	}
}

func notEqual(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	value, err := valueFor(s, t)
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.Of(plan.Call{Func: plan.Lib("NEQ"), Args: []any{value}, Emits: []plan.Emission{{Type: "FieldValueInvalid", Origin: "neq", Path: ""}}}), nil
}

// valueFor reads the payload of a tag as a value of the type it stands on.
func valueFor(s *rule.Site, t codetags.Tag) (any, error) {
	b := shape.Bare(s.Type)
	wrong := func(want, example string) error {
		return plan.Fault{Message: fmt.Sprintf("the value %s is no %s, which this is", rule.ShownValue(t), want), Cure: "want it as in +" + t.Name + "=" + example}
	}
	switch {
	case shape.IsString(b):
		if t.ValueType != codetags.ValueTypeString {
			return nil, wrong("string", `"none"`)
		}
		return t.Value, nil
	case shape.IsBool(b):
		if t.ValueType != codetags.ValueTypeBool {
			return nil, wrong("bool", "false")
		}
		return t.Value == "true", nil
	case shape.IsInt(b):
		if t.ValueType != codetags.ValueTypeInt {
			return nil, wrong("integer", "0")
		}
		return IntFor(s.Type, t.Value)
	}
	return nil, plan.Fault{Message: "it is for strings, integers and bools, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
}
