package expression

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apiserver/pkg/cel/library"
)

// What evaluations may cost, in steps of CEL; the numbers are those of Kubernetes. A step is less
// than a microsecond.
const (
	maxExpressionCost = 1_000_000
	policyBudget      = 10_000_000
	conditionsBudget  = policyBudget / 4
	// interruptEvery is after how many rounds of a loop it is asked whether there is time left.
	interruptEvery = 100
	// patience is how long all expressions of a policy may take for a write.
	patience = 10 * time.Second
	// bytesPerStep is how many bytes are copied or looked at in a step.
	bytesPerStep = 10
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

// costs counts for functions that CEL itself knows no cost of, by what goes in and what comes out.
// Those of Kubernetes cost what they do there.
type costs struct{}

func (costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if types.IsError(result) {
		return nil // nothing was made
	}
	counted := int64(0)
	switch function {
	case operators.Add, "charAt", "indexOf", "lastIndexOf", "join", "lowerAscii", "upperAscii", "replace", "split", "substring", "trim", "format", "strings.quote":
		for _, arg := range args {
			counted += size(arg)
		}
		counted += size(result)
	case "sets.contains", "sets.equivalent", "sets.intersects":
		counted = weight(args[0]) * weight(args[1])
	default:
		return (&library.CostEstimator{}).CallCost(function, overload, args, result)
	}
	cost := uint64(1 + counted/bytesPerStep)
	return &cost
}
