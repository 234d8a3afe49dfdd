// Package cel compiles rules in the Common Expression Language to Go, for the types that they stand
// on.
//
// What goes in is a Rule: its text, and the Go type of self. What comes out is a plan: the call of
// a function that is printed into the generated file, and what that needs. Package ast reads the
// text; the rest is a walk over its tree that makes of each expression a value, which is Go code
// with its type, or a condition. What the walk does not know is a Fault; it never makes code that
// means something else.
//
// In CEL an expression can fail: what is not there has no fields, and numbers overflow. So a value
// has guards, conditions for it to be there, and a condition is translated twice, to what holds if
// it is true and to what holds if its opposite is (translator.condition and not). A rule that fails
// does not hold.
//
// Start reading at Compile, then translate.go and value.go.
package cel

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/validation/plan"
	"github.com/typeplane/typeplane/generators/validation/shape"
)

// Rule is a rule as CustomResourceDefinitions have it.
type Rule struct {
	// Self is the type of the value that the rule stands on.
	Self                                                *types.Type
	Rule, Message, MessageExpression, Reason, FieldPath string
	OptionalOldSelf                                     bool
}

// reasons are the errors that a rule can ask for, by the function of package field.
var reasons = map[string]string{
	"": "Invalid", "FieldValueInvalid": "Invalid", "FieldValueDuplicate": "Duplicate",
	"FieldValueForbidden": "Forbidden", "FieldValueRequired": "Required",
}

const byHand = "write the rule in the strategy's Validate, in Go"

// Compile plans the call of a function that checks a rule. fresh returns a name that begins with a
// prefix and that nothing else in the generated package has.
func Compile(r Rule, fresh func(prefix string) string) (plan.Plan, error) {
	if r.Rule == "" {
		return plan.Plan{}, plan.Fault{Message: "there is no rule", Cure: `want rule="…"`}
	}
	reason, ok := reasons[r.Reason]
	if !ok {
		return plan.Plan{}, plan.Fault{Message: "there is no reason " + r.Reason, Cure: "want FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate"}
	}
	path, err := goPath(r.Self, r.FieldPath)
	if err != nil {
		return plan.Plan{}, err
	}
	tr := &translator{self: r.Self, fresh: fresh, optional: r.OptionalOldSelf}
	f := &function{self: r.Self, path: path, reason: reason, message: r.said()}
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
		Calls:   []plan.Call{{Func: plan.Own(f.name), Emits: []plan.Emission{{Type: "FieldValue" + reason, Origin: "rule", Path: ""}}}},
		Helpers: append(tr.helpers, plan.Helper{Name: f.name, Lines: f.lines}), Vars: tr.vars,
	}, nil
}

// translated reads CEL and translates it.
func translated(source, name string, translate translation) (condition, error) {
	expr, err := ast.Parse(source)
	if err != nil {
		return condition{}, plan.Fault{Message: fmt.Sprintf("the %s can't be read: %v", name, err), Cure: "correct it"}
	}
	c, err := translate(expr)
	if err != nil {
		return condition{}, plan.Fault{Message: fmt.Sprintf("the %s can't be translated: %v", name, err), Cure: byHand}
	}
	return c, nil
}

// said is what the error says, if no expression says it better.
func (r Rule) said() string {
	if r.Message != "" {
		return r.Message
	}
	return "failed rule: " + strings.Join(strings.Fields(r.Rule), " ")
}

// goPath is the Go expression of the path at which the error is.
func goPath(self *types.Type, path string) (string, error) {
	if path == "" {
		return "fldPath", nil
	}
	out, at := "fldPath", shape.Bare(self)
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if at.Kind != types.Struct {
			return "", plan.Fault{Message: "fieldPath=" + path + " names something that is in no struct", Cure: "name a field, as in .spec.name"}
		}
		m := shape.MemberByJSON(at, name)
		if m == nil {
			return "", plan.NoSuchField(at, name)
		}
		out += fmt.Sprintf(".Child(%q)", name)
		at = shape.Bare(m.Type)
	}
	return out, nil
}
