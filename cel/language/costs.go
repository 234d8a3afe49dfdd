package language

import (
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apiserver/pkg/cel/library"
)

// What evaluations may cost, in steps of CEL; the numbers are those of Kubernetes. A step is less
// than a microsecond.
const (
	// MaxCost is for one expression, Budget for all that are about one object.
	MaxCost = 1_000_000
	Budget  = 10_000_000
	// interruptEvery is after how many rounds of a loop it is asked whether there is time left.
	interruptEvery = 100
	// bytesPerStep is how many bytes are copied or looked at in a step.
	bytesPerStep = 10
)

// costs counts for functions that CEL itself knows no cost of, by what goes in and what comes out.
// Those of Kubernetes cost what they do there.
type costs struct{}

func (costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if types.IsError(result) {
		return nil // nothing was made
	}
	counted := int64(0)
	switch function {
	case operators.Add, "charAt", "indexOf", "lastIndexOf", "join", "lowerAscii", "upperAscii", "replace", "split", "substring", "trim", "format", "strings.quote",
		"slice", "flatten", "sort", "@sortByAssociatedKeys", "reverse", "lists.range":
		for _, arg := range args {
			counted += size(arg)
		}
		counted += size(result)
	case "sets.contains", "sets.equivalent", "sets.intersects":
		counted = weight(args[0]) * weight(args[1])
	case "distinct":
		counted = weight(args[0]) * weight(args[0])
	default:
		return (&library.CostEstimator{}).CallCost(function, overload, args, result)
	}
	cost := uint64(1 + counted/bytesPerStep)
	return &cost
}
