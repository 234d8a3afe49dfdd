package cel

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// translator makes Go of one rule. Conditions are in this file, values in value.go and the files
// beside it, by what they are made of.
type translator struct {
	self *types.Type // of the value that the rule stands on
	// absent tells whether a field of a struct may be absent.
	absent func(owner *types.Type, m types.Member) bool
	// format is what markers say of the format of a field.
	format  func(owner *types.Type, m types.Member) string
	fresh   func(prefix string) string
	vars    []plan.Variable
	helpers []plan.Helper
	// locals are the variables of macros, like all.
	locals map[string]value
	// optional says that the rule is also for values that are new: oldSelf may have no value.
	optional bool
	usesOld  bool
	loops    int
}

func (tr *translator) use(h plan.Helper) { tr.helpers = append(tr.helpers, h) }

// condition translates something that is true or false. In CEL, what fails is neither: so the Go is
// true only if the rule holds, and not is only true if the opposite does.
func (tr *translator) condition(e *ast.Expr) (condition, error) {
	switch {
	case e.Op == ast.Literal && e.Name == "true":
		return condition{}, nil
	case e.Op == ast.Literal && e.Name == "false":
		return leaf(e.Name), nil
	case e.Op == ast.Not:
		return tr.not(e.Args[0])
	case e.Op == ast.Binary && e.Name == "&&":
		return both(all, tr.condition, e.Args[0], tr.condition, e.Args[1])
	case e.Op == ast.Binary && e.Name == "||":
		return both(either, tr.condition, e.Args[0], tr.condition, e.Args[1])
	case e.Op == ast.If:
		return tr.branches(e, tr.condition)
	case e.Op == ast.Call && e.On != nil && (e.Name == "all" || e.Name == "exists"):
		return tr.loop(e, e.Name, tr.condition)
	}
	v, err := tr.truth(e)
	return v.holds(), err
}

// not translates the opposite.
func (tr *translator) not(e *ast.Expr) (condition, error) {
	opposite := map[string]string{"all": "exists", "exists": "all"}
	switch {
	case e.Op == ast.Not:
		return tr.condition(e.Args[0])
	case e.Op == ast.Binary && e.Name == "&&":
		return both(either, tr.not, e.Args[0], tr.not, e.Args[1])
	case e.Op == ast.Binary && e.Name == "||":
		return both(all, tr.not, e.Args[0], tr.not, e.Args[1])
	case e.Op == ast.If:
		return tr.branches(e, tr.not)
	case e.Op == ast.Call && e.On != nil && opposite[e.Name] != "":
		return tr.loop(e, opposite[e.Name], tr.not)
	}
	v, err := tr.truth(e)
	return all(v.guards, leaf(leaf(v.code).negated())), err
}

// truth translates a condition that is not made of others.
func (tr *translator) truth(e *ast.Expr) (value, error) {
	if asksHas(e) {
		return tr.has(e.Args[0])
	}
	v, err := tr.value(e)
	if err == nil && !shape.IsBool(shape.Native(v.typ)) {
		err = unless(simple(v), "%s is neither true nor false", e.Source)
	}
	return v, err
}

// branches translates both ways of a conditional expression.
func (tr *translator) branches(e *ast.Expr, branch translation) (condition, error) {
	yes, err := both(all, tr.condition, e.Args[0], branch, e.Args[1])
	if err != nil {
		return condition{}, err
	}
	no, err := both(all, tr.not, e.Args[0], branch, e.Args[2])
	return either(yes, no), err
}

type translation func(*ast.Expr) (condition, error)

// both joins two translations.
func both(join func(...condition) condition, first translation, a *ast.Expr, second translation, b *ast.Expr) (condition, error) {
	left, err := first(a)
	if err != nil {
		return condition{}, err
	}
	right, err := second(b)
	return join(left, right), err
}
