package language

import (
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// maxCompared is how many values one comparison may visit. Lists and maps are compared as deep as
// they are, in one step that CEL can't interrupt.
const maxCompared = 1_000_000

// boundedComparison replaces ==, != and in by calls that refuse arguments that are too large. The
// planner of CEL makes == and != itself, so they can't be bound as other functions are.
func boundedComparison(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok {
		return i, nil
	}
	var compare func(a, b ref.Val) ref.Val
	switch call.Function() {
	case operators.Equals:
		compare = types.Equal
	case operators.NotEquals:
		compare = func(a, b ref.Val) ref.Val { return types.Bool(types.Equal(a, b) != types.True) }
	case operators.In:
		compare = contains
	default:
		return i, nil
	}
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
		if len(args) == 2 && compared(call.Function(), args[0], args[1]) > maxCompared {
			return types.NewErr("the arguments of %s are too large", operatorNames[call.Function()])
		}
		return compare(args[0], args[1])
	}), nil
}

var operatorNames = map[string]string{operators.Equals: "==", operators.NotEquals: "!=", operators.In: "in"}

func contains(a, b ref.Val) ref.Val {
	if all, ok := b.(traits.Container); ok && b.Type().HasTrait(traits.ContainerType) {
		return all.Contains(a)
	}
	return types.ValOrErr(b, "no such overload")
}

// compared is how many values a call of ==, != or in visits at most. It is 0 for a call that does
// not visit lists or maps.
func compared(function string, a, b ref.Val) int64 {
	switch {
	case function == operators.In:
		if list, ok := b.(traits.Lister); ok {
			return comparedWithEach(a, list)
		}
		return 0
	case isComposite(a):
		return common(a, b)
	}
	return 0
}

// comparedWithEach is how many values comparing v with each element of a list visits.
func comparedWithEach(v ref.Val, list traits.Lister) int64 {
	total := size(list)
	if !isComposite(v) {
		return total
	}
	for it := list.Iterator(); it.HasNext() == types.True && total <= maxCompared; {
		total += common(v, it.Next())
	}
	return total
}

// common is the number of values in the smaller one of two values. A comparison visits no more,
// because it ends where the two differ. Counting takes about as long for a small and a large value
// as for two small ones.
func common(a, b ref.Val) int64 {
	if !isComposite(a) || !isComposite(b) {
		return 1
	}
	for limit := int64(16); ; limit *= 8 {
		if n := min(values(a, limit), values(b, limit)); n < limit || limit > maxCompared {
			return n
		}
	}
}

func isComposite(v ref.Val) bool {
	switch v := v.(type) {
	case traits.Lister, traits.Mapper:
		return true
	case *types.Optional:
		return v.HasValue() && isComposite(v.GetValue())
	}
	return false
}

// values is the number of values in v, itself and each key included, or more than limit if there
// are more. v is a value of CEL or of JSON. A long string counts more than once.
func values(v any, limit int64) int64 {
	return measure(v, limit, func(text string) int64 { return 1 + int64(len(text)>>12) })
}

// printed is the number of bytes of v as text, about, or more than limit if there are more.
func printed(v any, limit int64) int64 {
	return measure(v, limit, func(text string) int64 { return 2 + int64(len(text)) })
}

// measure adds up 1 for each value in v, and the result of of for a string. It stops above limit.
func measure(v any, limit int64, of func(string) int64) int64 {
	total := int64(1)
	add := func(v any) bool {
		total += measure(v, limit-total, of)
		return total <= limit
	}
	switch v := v.(type) {
	case string:
		return of(v)
	case types.String:
		return of(string(v))
	case types.Bytes:
		return of(string(v))
	case []any:
		for i := 0; i < len(v) && add(v[i]); i++ {
		}
	case []string:
		for i := 0; i < len(v) && add(v[i]); i++ {
		}
	case []ref.Val:
		for i := 0; i < len(v) && add(v[i]); i++ {
		}
	case map[string]any:
		for key, value := range v {
			if !add(key) || !add(value) {
				break
			}
		}
	case map[ref.Val]ref.Val:
		for key, value := range v {
			if !add(key) || !add(value) {
				break
			}
		}
	case *types.Optional:
		if v.HasValue() {
			add(v.GetValue())
		}
	case traits.Lister:
		switch list := v.Value().(type) {
		case []any, []string, []ref.Val:
			return measure(list, limit, of)
		}
		for it := v.Iterator(); it.HasNext() == types.True && add(it.Next()); {
		}
	case traits.Mapper:
		switch members := v.Value().(type) {
		case map[string]any, map[ref.Val]ref.Val:
			return measure(members, limit, of)
		}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if !add(key) || !add(v.Get(key)) {
				break
			}
		}
	}
	return total
}
