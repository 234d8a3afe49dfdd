// Package cel compiles rules in the Common Expression Language to Go, for the types that they stand
// on.
//
// It takes a Rule: its text, and the Go type of self. It returns a plan: the call of a function
// that is printed into the generated file, and what that needs. Package ast reads the text, and
// package check finds types that don't fit. The rest is a walk over its tree that makes of each
// expression a value, which is Go code with its type, or a condition. It never makes code that
// means something else: a rule with something that the walk does not know is handed to module cel,
// which evaluates it (evaluated.go). What is wrong with a rule, whoever evaluates it, is a Fault.
//
// In CEL an expression can fail: what is not there has no fields, and numbers overflow. So a value
// has guards, which are conditions for it to be there. A condition is translated twice, to what
// holds if it is true and to what holds if its opposite is (translator.condition and not). A rule
// that fails does not hold.
//
// Start reading at Compile, then translate.go.
package cel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/cel/check"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// reasons are the errors that a rule can ask for, by the function of package field.
var reasons = map[string]string{
	"": "Invalid", "FieldValueInvalid": "Invalid", "FieldValueDuplicate": "Duplicate",
	"FieldValueForbidden": "Forbidden", "FieldValueRequired": "Required",
}

// Compile plans the call of a function that checks a rule.
func Compile(r Rule, in Surroundings) (plan.Plan, error) {
	if r.Rule == "" {
		return plan.Plan{}, plan.Fault{Message: "there is no rule", Cure: `want rule="…"`}
	}
	reason, ok := reasons[r.Reason]
	if !ok {
		return plan.Plan{}, plan.Fault{Message: "there is no reason " + r.Reason, Cure: "want FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate"}
	}
	path, err := readPath(r.Self, r.FieldPath)
	if err != nil {
		return plan.Plan{}, err
	}
	r.FieldPath = path.String()
	made, err := compiled(r, path.code(), reason, in.Fresh)
	if err == nil {
		return made, nil
	}
	cure := "correct it"
	if in.Foreign {
		cure = "a kube-apiserver refuses it, too: use another version of its module"
	}
	var mistake mistake
	if errors.As(err, &mistake) && !in.Foreign {
		return plan.Plan{}, plan.Fault{Message: err.Error(), Cure: cure}
	}
	if misfit := r.misfit(); misfit != nil {
		if !in.Foreign && strings.Contains(misfit.Error(), "optional_type(") {
			cure = "write what it is where it has no value, as in orValue('')"
		}
		return plan.Plan{}, plan.Fault{Message: misfit.Error(), Cure: cure, Needed: true}
	}
	if err := r.unevaluable(); err != nil {
		return plan.Plan{}, plan.Fault{Message: err.Error(), Cure: "correct or shorten it: module cel evaluates the rule, and bounds patterns where a kube-apiserver does not", Needed: true}
	}
	return evaluated(r, reason, err, in)
}

// unevaluable returns an error for a regular expression that module cel would refuse when the
// program starts.
func (r Rule) unevaluable() error {
	for _, x := range []struct{ name, text string }{{"rule", r.Rule}, {"messageExpression", r.MessageExpression}} {
		e, err := ast.Parse(x.text)
		if x.text == "" || err != nil {
			continue
		}
		if err := check.Patterns(e); err != nil {
			return fmt.Errorf("the %s is wrong: %w", x.name, err)
		}
	}
	return nil
}

// misfit is what is wrong with the types in a rule that is to be evaluated: the server would not
// start.
func (r Rule) misfit() error {
	for _, x := range []struct{ name, text, want string }{{"rule", r.Rule, "bool"}, {"messageExpression", r.MessageExpression, "string"}} {
		e, err := ast.Parse(x.text)
		if x.text == "" || err != nil {
			continue
		}
		if err := check.Types(e, x.want, r.OptionalOldSelf); err != nil {
			return fmt.Errorf("the %s is wrong: %w", x.name, err)
		}
	}
	return nil
}

// compiled plans a function that is printed.
func compiled(r Rule, path, reason string, fresh func(string) string) (_ plan.Plan, err error) {
	tr := &translator{self: r.Self, absent: r.Absent, format: r.Format, fresh: fresh, optional: r.OptionalOldSelf}
	f := &function{self: r.Self, omits: r.Omits, path: path, reason: reason, message: r.said()}
	if f.condition, err = translated(r.Rule, "rule", tr.condition); err != nil {
		return plan.Plan{}, err
	}
	f.transition = tr.usesOld && !tr.optional
	if r.MessageExpression != "" {
		if _, err := translated(r.MessageExpression, "messageExpression", func(e *ast.Expr) (_ condition, err error) {
			f.computed, err = tr.text(e)
			return condition{}, err
		}); err != nil {
			return plan.Plan{}, err
		}
		tr.use(helperMessage)
	}
	f.usesOld = tr.usesOld
	f.name = fresh("validate_rule_")
	return plan.Plan{
		Calls:   []plan.Call{{Func: plan.Own(f.name), Rule: true, Change: f.transition, Emits: emits(reason)}},
		Helpers: append(tr.helpers, plan.Helper{Name: f.name, Lines: f.lines}), Vars: tr.vars,
	}, nil
}

// translated reads CEL and translates it.
func translated(source, name string, translate translation) (condition, error) {
	expr, err := ast.Parse(source)
	if err != nil {
		return condition{}, wrong("the %s can't be read: %v", name, err)
	}
	if err := checkNames(expr, nil); err != nil {
		return condition{}, wrong("the %s is wrong: %v", name, err)
	}
	c, err := translate(expr)
	var mistake mistake
	switch {
	case errors.As(err, &mistake):
		return condition{}, wrong("the %s is wrong: %v", name, err)
	case err != nil:
		return condition{}, fmt.Errorf("the %s is not compiled to Go: %w", name, err)
	}
	return c, nil
}
