package expression

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/cel-go/common/types/ref"

	"github.com/typeplane/typeplane/cel/language"
)

// What evaluations may cost beside what one expression may; the numbers are those of Kubernetes.
const (
	policyBudget     = language.Budget
	conditionsBudget = policyBudget / 4
	// patience is how long all expressions of a policy may take for a write.
	patience = 10 * time.Second
)

var errBudget = errors.New("validation failed due to running out of cost budget, no further validation rules will be run")

// budget is what the expressions of one evaluation may still cost. It is for one goroutine.
type budget struct {
	ctx  context.Context
	left uint64
}

// spend evaluates an expression. A panic of a function is an error.
func (b *budget) spend(p *program, vars any) (result ref.Val, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, fmt.Errorf("expression '%s' panicked: %v", p.text, r)
		}
	}()
	if b.left == 0 {
		return nil, errBudget
	}
	result, details, err := p.ContextEval(b.ctx, vars)
	if cost := details.ActualCost(); cost != nil {
		b.left -= min(b.left, *cost)
	}
	var inner *variableError
	switch {
	case errors.As(err, &inner):
		return nil, inner
	case err != nil:
		return nil, fmt.Errorf("expression '%s' resulted in error: %w", p.text, err)
	}
	return result, nil
}

// variableError is that a variable can't be evaluated, which is all that has to be said of whatever
// uses it.
type variableError struct {
	name string
	err  error
}

func (e *variableError) Error() string { return "variable " + e.name + ": " + e.err.Error() }
func (e *variableError) Unwrap() error { return e.err }
