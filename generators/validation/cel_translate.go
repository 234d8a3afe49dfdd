package validation

import (
	"fmt"

	"github.com/typeplane/typeplane/generators/validation/cel"
)

// translator makes Go of one rule. Conditions are in this file, values in cel_value.go and the files that it names by
// what they are made of: cel_compare.go, cel_arithmetic.go, cel_index.go, cel_methods.go, cel_loop.go, cel_list.go, cel_known.go (times and quantities),
// cel_optional.go, cel_null.go.
type translator struct {
	p       *planner
	site    *site
	name    string
	vars    []variable
	helpers []helper
	// locals are the variables of macros, like all.
	locals map[string]value
	// optional says that the rule is also for values that are new: oldSelf may have no value.
	optional bool
	usesOld  bool
	loops    int
}

func (tr *translator) use(h helper) { tr.helpers = append(tr.helpers, h) }

// condition translates something that is true or false. In CEL, what fails is neither: so the Go is true only if the
// rule holds, and not is only true if the opposite does.
func (tr *translator) condition(e *cel.Expr) (condition, error) {
	switch {
	case e.Op == cel.Literal && e.Name == "true":
		return condition{}, nil
	case e.Op == cel.Literal && e.Name == "false":
		return leaf(e.Name), nil
	case e.Op == cel.Not:
		return tr.not(e.Args[0])
	case e.Op == cel.Binary && e.Name == "&&":
		return both(all, tr.condition, e.Args[0], tr.condition, e.Args[1])
	case e.Op == cel.Binary && e.Name == "||":
		return both(either, tr.condition, e.Args[0], tr.condition, e.Args[1])
	case e.Op == cel.If:
		return tr.branches(e, tr.condition)
	case e.Op == cel.Call && e.On != nil && (e.Name == "all" || e.Name == "exists"):
		return tr.loop(e, e.Name, tr.condition)
	}
	v, err := tr.truth(e)
	return v.holds(), err
}

// not translates the opposite.
func (tr *translator) not(e *cel.Expr) (condition, error) {
	opposite := map[string]string{"all": "exists", "exists": "all"}
	switch {
	case e.Op == cel.Not:
		return tr.condition(e.Args[0])
	case e.Op == cel.Binary && e.Name == "&&":
		return both(either, tr.not, e.Args[0], tr.not, e.Args[1])
	case e.Op == cel.Binary && e.Name == "||":
		return both(all, tr.not, e.Args[0], tr.not, e.Args[1])
	case e.Op == cel.If:
		return tr.branches(e, tr.not)
	case e.Op == cel.Call && e.On != nil && opposite[e.Name] != "":
		return tr.loop(e, opposite[e.Name], tr.not)
	}
	v, err := tr.truth(e)
	return all(v.guards, leaf("!(", v.code, ")")), err
}

// truth translates a condition that is not made of others.
func (tr *translator) truth(e *cel.Expr) (value, error) {
	if asksHas(e) {
		return tr.has(e.Args[0])
	}
	v, err := tr.value(e)
	if err == nil && !isBool(native(v.typ)) {
		err = fmt.Errorf("%s is neither true nor false", e.Source)
	}
	return v, err
}

// branches translates both ways of a conditional expression.
func (tr *translator) branches(e *cel.Expr, branch translation) (condition, error) {
	yes, err := both(all, tr.condition, e.Args[0], branch, e.Args[1])
	if err != nil {
		return condition{}, err
	}
	no, err := both(all, tr.not, e.Args[0], branch, e.Args[2])
	return either(yes, no), err
}

type translation func(*cel.Expr) (condition, error)

// both joins two translations.
func both(join func(...condition) condition, first translation, a *cel.Expr, second translation, b *cel.Expr) (condition, error) {
	left, err := first(a)
	if err != nil {
		return condition{}, err
	}
	right, err := second(b)
	return join(left, right), err
}
