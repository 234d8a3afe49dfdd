package language

import (
	"strings"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apiserver/pkg/cel/library"
)

// The bounds of evaluations, in steps of CEL. They are those of Kubernetes. A step takes less than
// half a microsecond.
const (
	// MaxCost bounds one expression, Budget all expressions about one object.
	MaxCost = 1_000_000
	Budget  = 10_000_000
	// interruptEvery is the number of rounds of a loop between two checks of the context.
	interruptEvery = 100
	// bytesPerStep is how many bytes of a string a step makes or searches, parsedPerStep how many
	// it converts, formattedPerStep how many it formats. comparedPerStep is how many values it
	// compares.
	bytesPerStep     = 10
	parsedPerStep    = 50
	formattedPerStep = 3
	comparedPerStep  = 2
	// matchedPerStep is the part of maxMatchWork that a step takes, and patternPerStep the part of
	// maxPatternWork.
	matchedPerStep = 50
	patternPerStep = 5
	// zoneCost is the cost of a function that loads a time zone.
	zoneCost = 100
)

// costs counts the cost of calls that CEL does not know or counts too low, by their arguments and
// results. The functions of Kubernetes cost as much as there, or more. A call that fails costs,
// too, because a loop can continue after an error.
type costs struct{ literals }

func (c costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if cost := c.own(function, overload, args, result); cost > 0 {
		total := uint64(1 + cost)
		return &total
	}
	return (&library.CostEstimator{}).CallCost(function, overload, args, result)
}

// own returns the steps of a call beyond the first, or 0 if CEL or Kubernetes count it.
func (c costs) own(function, overload string, args []ref.Val, result ref.Val) int64 {
	switch {
	case regexpOverloads[overload] != "" && len(args) >= 2:
		return c.matching(args, result)
	case len(args) == 2 && (function == operators.Equals || function == operators.NotEquals || function == operators.In):
		return compared(function, args[0], args[1]) / comparedPerStep
	case strings.HasSuffix(overload, "_with_tz"):
		return zoneCost
	case overloads.IsTypeConversionFunction(function) && overload != overloads.BytesToString && overload != overloads.StringToBytes && len(args) == 1:
		return size(args[0]) / parsedPerStep
	}
	switch function {
	case operators.Add:
		if _, list := result.(traits.Lister); list {
			return 0 // it is not copied
		}
		return sum(args, result) / bytesPerStep
	case "indexOf", "lastIndexOf", "includes":
		return sum(args, result)/bytesPerStep + searched(args)/comparedPerStep
	case "charAt", "lowerAscii", "upperAscii", "replace", "split", "substring", "trim", "strings.quote",
		"lists.range", "isURL":
		return sum(args, result) / bytesPerStep
	case "slice", "reverse":
		return sum(args, result) / comparedPerStep
	case "join":
		return (sum(args, result) + printed(args[0], maxBytes)) / bytesPerStep
	case "format":
		return sum(args, result)/bytesPerStep + printed(args[1], maxBytes)/formattedPerStep
	case "flatten":
		return values(args[0], maxElements) / comparedPerStep
	case "sort", "@sortByAssociatedKeys":
		return sorted(args[0]) / comparedPerStep
	case "sets.contains", "sets.equivalent", "sets.intersects", "distinct":
		return pairs(args[0], args[len(args)-1]) / bytesPerStep
	}
	return 0
}

// sum is the size of the arguments and the result of a call.
func sum(args []ref.Val, result ref.Val) int64 {
	total := size(result)
	for _, arg := range args {
		total += size(arg)
	}
	return total
}

// matching is the cost of matching a regular expression: that of Kubernetes, which counts the
// bytes of the pattern, or that of its program if that is higher. A pattern that is computed costs
// its compilation.
func (c costs) matching(args []ref.Val, result ref.Val) int64 {
	text, pattern := str(args[0]), string(str(args[1]))
	instructions, literal := c.literals[pattern]
	compiling := int64(0)
	if !literal {
		instructions, _ = programSize(pattern)
		compiling = min(parseWork(pattern), maxPatternWork) + 2*instructions
	}
	searches := int64(1)
	if found, ok := result.(traits.Lister); ok {
		searches += size(found)
	}
	kubernetes := (&library.CostEstimator{}).CallCost("find", "", args, result)
	matched := min(instructions*int64(len(text)+1)*searches, maxMatchWork)
	if _, ok := args[0].(types.String); ok && types.IsError(result) && instructions > 0 {
		matched = maxMatchWork // it was too much, which findAll finds out by trying
	}
	return compiling/patternPerStep + max(matched/matchedPerStep, int64(*kubernetes)-1)
}
