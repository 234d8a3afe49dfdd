package validation

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

// fixedRules are for tests of generated validation: their result is fixed.
func fixedRules() []rule {
	args := []argument{{"flags", false}, {"typeArg", false}, {"cohort", false}}
	fixed := func(result bool) func(*planner, *site, codetags.Tag) (plan, error) {
		return func(_ *planner, _ *site, t codetags.Tag) (plan, error) { return fixedResult(t, result) }
	}
	return []rule{
		{name: "k8s:validateTrue", scopes: onAny, value: optText, args: args, example: `+k8s:validateTrue="reached"`, doc: "For tests: always valid.", plan: fixed(true)},
		{name: "k8s:validateTrueAlpha", scopes: onAny, value: optText, args: args, example: `+k8s:validateTrueAlpha="reached"`, doc: "For tests: always valid.", plan: fixed(true)},
		{name: "k8s:validateTrueBeta", scopes: onAny, value: optText, args: args, example: `+k8s:validateTrueBeta="reached"`, doc: "For tests: always valid.", plan: fixed(true)},
		{name: "k8s:validateFalse", scopes: onAny, value: optText, args: args, example: `+k8s:validateFalse="reached"`, doc: "For tests: never valid.", plan: fixed(false)},
		{name: "k8s:validateError", scopes: onAny, value: optText, example: `+k8s:validateError="reached"`, doc: "For tests: a problem.",
			plan: func(_ *planner, _ *site, t codetags.Tag) (plan, error) {
				return plan{}, fault{fmt.Sprintf("a problem is asked for: %q", t.Value), "remove the tag"}
			}},
	}
}

func fixedResult(t codetags.Tag, result bool) (plan, error) {
	c := call{fn: lib("FixedResult"), args: []any{result, t.Value}}
	if !result {
		c.emits = []emission{{"FieldValueInvalid", "validateFalse", ""}}
	}
	if flags, ok := t.NamedArg("flags"); ok {
		for _, flag := range strings.Split(flags.Value, ",") {
			switch strings.TrimSpace(flag) {
			case "ShortCircuit":
				c.stop = true
			case "NonError":
				c.silent = true
			default:
				return plan{}, fault{"there is no flag " + flag, "want ShortCircuit or NonError"}
			}
		}
	}
	if arg, ok := t.NamedArg("typeArg"); ok && arg.Value != "" {
		name := types.ParseFullyQualifiedName(strings.TrimPrefix(arg.Value, "*"))
		c.typeArgs = []typeArg{{pointee: ident(name.Package, name.Name)}}
	}
	if arg, ok := t.NamedArg("cohort"); ok {
		c.cohort = arg.Value
	}
	return of(c), nil
}
