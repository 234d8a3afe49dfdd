package declarative

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

// fixedRules are for tests of generated validation: their result is fixed.
func fixedRules() []rule.Rule {
	args := []rule.Argument{{Name: "flags", Required: false}, {Name: "typeArg", Required: false}, {Name: "cohort", Required: false}}
	fixed := func(result bool) func(*rule.Planner, *rule.Site, codetags.Tag) (plan.Plan, error) {
		return func(_ *rule.Planner, _ *rule.Site, t codetags.Tag) (plan.Plan, error) { return fixedResult(t, result) }
	}
	return []rule.Rule{
		{Name: "k8s:validateTrue", Scopes: rule.OnAny, Value: rule.OptText, Args: args, Example: `+k8s:validateTrue="reached"`, Doc: "For tests: always valid.", Plan: fixed(true)},
		{Name: "k8s:validateTrueAlpha", Scopes: rule.OnAny, Value: rule.OptText, Args: args, Example: `+k8s:validateTrueAlpha="reached"`, Doc: "For tests: always valid.", Plan: fixed(true)},
		{Name: "k8s:validateTrueBeta", Scopes: rule.OnAny, Value: rule.OptText, Args: args, Example: `+k8s:validateTrueBeta="reached"`, Doc: "For tests: always valid.", Plan: fixed(true)},
		{Name: "k8s:validateFalse", Scopes: rule.OnAny, Value: rule.OptText, Args: args, Example: `+k8s:validateFalse="reached"`, Doc: "For tests: never valid.", Plan: fixed(false)},
		{Name: "k8s:validateError", Scopes: rule.OnAny, Value: rule.OptText, Example: `+k8s:validateError="reached"`, Doc: "For tests: a problem.",
			Plan: func(_ *rule.Planner, _ *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("a problem is asked for: %q", t.Value), Cure: "remove the tag"}
			}},
	}
}

func fixedResult(t codetags.Tag, result bool) (plan.Plan, error) {
	c := plan.Call{Func: plan.Lib("FixedResult"), Args: []any{result, t.Value}}
	if !result {
		c.Emits = []plan.Emission{{Type: "FieldValueInvalid", Origin: "validateFalse", Path: ""}}
	}
	if flags, ok := t.NamedArg("flags"); ok {
		for _, flag := range strings.Split(flags.Value, ",") {
			switch strings.TrimSpace(flag) {
			case "ShortCircuit":
				c.Stop = true
			case "NonError":
				c.Silent = true
			default:
				return plan.Plan{}, plan.Fault{Message: "there is no flag " + flag, Cure: "want ShortCircuit or NonError"}
			}
		}
	}
	if arg, ok := t.NamedArg("typeArg"); ok && arg.Value != "" {
		name := types.ParseFullyQualifiedName(strings.TrimPrefix(arg.Value, "*"))
		c.TypeArgs = []plan.TypeArg{{Pointee: plan.Ident(name.Package, name.Name)}}
	}
	if arg, ok := t.NamedArg("cohort"); ok {
		c.Cohort = arg.Value
	}
	return plan.Of(c), nil
}
