package declarative

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func presenceRules() []rule.Rule {
	return []rule.Rule{
		{Name: "k8s:required", Scopes: rule.OnField, Example: "+k8s:required",
			Doc:  "The field must be set: not nil, not empty, not zero. If it isn't, nothing else of it is validated.",
			Plan: func(_ *rule.Planner, s *rule.Site, _ codetags.Tag) (plan.Plan, error) { return Required(s) }},
		{Name: "k8s:optional", Scopes: rule.OnField, Example: "+k8s:optional",
			Doc:  "The field may be left out, and then nothing else of it is validated. With a default it is as good as required.",
			Plan: func(_ *rule.Planner, s *rule.Site, _ codetags.Tag) (plan.Plan, error) { return optional(s) }},
		{Name: "k8s:forbidden", Scopes: rule.OnField, Example: "+k8s:forbidden",
			Doc:  "The field must not be set. It makes sense inside +k8s:ifDisabled or +k8s:ifMode.",
			Plan: func(_ *rule.Planner, s *rule.Site, _ codetags.Tag) (plan.Plan, error) { return forbidden(s) }},
	}
}

// presence names the function of the library that looks whether a value is there, like
// RequiredSlice.
func presence(verb string, t *types.Type) (name string, err error) {
	switch shape.Native(t).Kind {
	case types.Slice:
		return verb + "Slice", nil
	case types.Map:
		return verb + "Map", nil
	case types.Pointer:
		return verb + "Pointer", nil
	case types.Struct:
		return "", plan.Fault{Message: "it is a struct, which is always there", Cure: "make the field a pointer, or remove the tag"}
	}
	return verb + "Value", nil
}

func Required(s *rule.Site) (plan.Plan, error) {
	name, err := presence("Required", s.Type)
	return plan.Of(plan.Call{Func: plan.Lib(name), Stop: true, Emits: []plan.Emission{{Type: "FieldValueRequired", Origin: "", Path: ""}}}), err
}

func forbidden(s *rule.Site) (plan.Plan, error) {
	forbidden, err := presence("Forbidden", s.Type)
	if err != nil {
		return plan.Plan{}, err
	}
	skip, err := SkipUnset(s.Type)
	// What is forbidden and absent, as it should be, needs no further look: other functions might
	// follow a nil pointer.
	return plan.Of(plan.Call{Func: plan.Lib(forbidden), Stop: true, Emits: []plan.Emission{{Type: "FieldValueForbidden", Origin: "", Path: ""}}}, skip), err
}

// SkipUnset is the call that ends the validation of a value that is not set, without an error.
func SkipUnset(t *types.Type) (plan.Call, error) {
	name, err := presence("Optional", t)
	return plan.Call{Func: plan.Lib(name), Stop: true, Silent: true}, err
}

// optional skips the rest if the value is not set. The server sees objects with their defaults
// filled in, so a field with a default has a value or is wrong. Nothing
// can be said only where the default is what Go has anyway.
func optional(s *rule.Site) (plan.Plan, error) {
	has, zero, err := zeroDefault(s)
	switch {
	case err != nil:
		return plan.Plan{}, err
	case has && zero:
		return plan.Plan{Notes: []string{"optional value-type fields with zero-value defaults are purely documentation"}}, nil
	case has:
		out, err := Required(s)
		for i := range out.Calls {
			out.Calls[i].Notes = []string{"optional fields with default values are effectively required"}
		}
		return out, err
	}
	skip, err := SkipUnset(s.Type)
	return plan.Of(skip), err
}

// zeroDefault tells whether the field has a default, and whether a value type has its zero value as
// default.
func zeroDefault(s *rule.Site) (has, zero bool, err error) {
	values := s.Origin.Markers.Values("default")
	if len(values) == 0 {
		return false, false, nil
	}
	if len(values) > 1 {
		return false, false, plan.Fault{Message: "there are several +default tags", Cure: "keep one"}
	}
	if shape.Nilable(s.Type) {
		return true, false, nil
	}
	var value any
	if err := json.Unmarshal([]byte(values[0]), &value); err != nil || value == nil {
		return true, false, nil // a reference to a constant, which stands for something
	}
	t := shape.Bare(s.Type)
	switch {
	case shape.IsInt(t) || shape.IsFloat(t):
		return true, reflect.DeepEqual(value, 0.), nil
	case shape.IsString(t):
		return true, value == "", nil
	case shape.IsBool(t):
		return true, value == false, nil
	}
	return false, false, plan.Fault{Message: fmt.Sprintf("+default=%s stands on %s", values[0], shape.AKind(s.Type)), Cure: "remove the default, or make the field a pointer"}
}
