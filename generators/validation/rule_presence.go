package validation

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func presenceRules() []rule {
	return []rule{
		{name: "k8s:required", scopes: onField, example: "+k8s:required",
			doc:  "The field must be set: not nil, not empty, not zero. If it isn't, nothing else of it is validated.",
			plan: func(_ *planner, s *site, _ codetags.Tag) (plan, error) { return required(s) }},
		{name: "k8s:optional", scopes: onField, example: "+k8s:optional",
			doc:  "The field may be left out, and then nothing else of it is validated. With a default it is as good as required.",
			plan: func(_ *planner, s *site, _ codetags.Tag) (plan, error) { return optional(s) }},
		{name: "k8s:forbidden", scopes: onField, example: "+k8s:forbidden",
			doc:  "The field must not be set. It makes sense inside +k8s:ifDisabled or +k8s:ifMode.",
			plan: func(_ *planner, s *site, _ codetags.Tag) (plan, error) { return forbidden(s) }},
	}
}

// presence names the function of the library that looks whether a value is there, like RequiredSlice.
func presence(verb string, t *types.Type) (name string, err error) {
	switch native(t).Kind {
	case types.Slice:
		return verb + "Slice", nil
	case types.Map:
		return verb + "Map", nil
	case types.Pointer:
		return verb + "Pointer", nil
	case types.Struct:
		return "", fault{"it is a struct, which is always there", "make the field a pointer, or remove the tag"}
	}
	return verb + "Value", nil
}

func required(s *site) (plan, error) {
	name, err := presence("Required", s.typ)
	return of(call{fn: lib(name), stop: true, emits: []emission{{"FieldValueRequired", "", ""}}}), err
}

func forbidden(s *site) (plan, error) {
	forbidden, err := presence("Forbidden", s.typ)
	if err != nil {
		return plan{}, err
	}
	skip, err := skipUnset(s.typ)
	// What is forbidden and absent, as it should be, needs no further look: other functions might follow a nil pointer.
	return of(call{fn: lib(forbidden), stop: true, emits: []emission{{"FieldValueForbidden", "", ""}}}, skip), err
}

// skipUnset is the call that ends the validation of a value that is not set, without an error.
func skipUnset(t *types.Type) (call, error) {
	name, err := presence("Optional", t)
	return call{fn: lib(name), stop: true, silent: true}, err
}

// optional skips the rest if the value is not set. The server sees objects with their defaults filled in, so a field
// with a default has a value or is wrong; only where the default is what Go has anyway, nothing can be said.
func optional(s *site) (plan, error) {
	has, zero, err := zeroDefault(s)
	switch {
	case err != nil:
		return plan{}, err
	case has && zero:
		return plan{notes: []string{"optional value-type fields with zero-value defaults are purely documentation"}}, nil
	case has:
		out, err := required(s)
		for i := range out.calls {
			out.calls[i].notes = []string{"optional fields with default values are effectively required"}
		}
		return out, err
	}
	skip, err := skipUnset(s.typ)
	return of(skip), err
}

// zeroDefault tells whether the field has a default, and whether a value type has its zero value as default.
func zeroDefault(s *site) (has, zero bool, err error) {
	values := s.origin.markers.Values("default")
	if len(values) == 0 {
		return false, false, nil
	}
	if len(values) > 1 {
		return false, false, fault{"there are several +default tags", "keep one"}
	}
	if nilable(s.typ) {
		return true, false, nil
	}
	var value any
	if err := json.Unmarshal([]byte(values[0]), &value); err != nil || value == nil {
		return true, false, nil // a reference to a constant, which stands for something
	}
	t := bare(s.typ)
	switch {
	case isInt(t) || isFloat(t):
		return true, reflect.DeepEqual(value, 0.), nil
	case isString(t):
		return true, value == "", nil
	case isBool(t):
		return true, value == false, nil
	}
	return false, false, fault{fmt.Sprintf("+default=%s stands on %s", values[0], aKind(s.typ)), "remove the default, or make the field a pointer"}
}
