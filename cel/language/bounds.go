package language

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/typeplane/typeplane/runtime/quantity"
)

// CEL counts what a call has cost when it is over. A few functions can make much of little, so that
// there has to be a bound before they are called.
const (
	maxBytes     = 10 << 20  // of a string that a function makes
	maxElements  = 1_000_000 // of a list that is joined of others, and of what is compared for a set
	maxRegexp    = 10_000    // instructions of a regular expression
	maxParsed    = 10_000    // bytes of a text that is read as a number, a version or a regular expression
	maxPrecision = 100       // digits in a format
)

// boundedFunctions are those of the libraries, and the plus of the standard one, each with a bound.
func boundedFunctions(more *cel.Env) ([]*decls.FunctionDecl, error) {
	var all []*decls.FunctionDecl
	for name, f := range more.Functions() {
		bounded, err := boundedFunction(name, f)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", name, err)
		}
		all = append(all, bounded)
	}
	standard, err := cel.NewEnv()
	if err != nil {
		return nil, err
	}
	plus, err := boundedPlus(standard.Functions()[operators.Add])
	return append(all, plus), err
}

func boundedFunction(name string, f *decls.FunctionDecl) (*decls.FunctionDecl, error) {
	bindings, err := f.Bindings()
	if err != nil {
		return nil, err
	}
	byID := map[string]*functions.Overload{}
	for _, b := range bindings {
		byID[b.Operator] = b
	}
	var options []decls.FunctionOpt
	for _, o := range f.OverloadDecls() {
		own := byID[o.ID()]
		if own == nil {
			own = byID[name] // one for all overloads
		}
		binding := decls.FunctionBinding(bounded(name, own))
		if o.IsMemberFunction() {
			options = append(options, decls.MemberOverload(o.ID(), o.ArgTypes(), o.ResultType(), binding))
		} else {
			options = append(options, decls.Overload(o.ID(), o.ArgTypes(), o.ResultType(), binding))
		}
	}
	return decls.NewFunction(name, options...)
}

// bounded calls an overload if its arguments allow for that.
func bounded(name string, o *functions.Overload) functions.FunctionOp {
	return func(args ...ref.Val) ref.Val {
		if err := tooMuch(name, args); err != nil {
			return types.WrapErr(err)
		}
		switch {
		case len(args) == 1 && o.Unary != nil:
			return o.Unary(args[0])
		case len(args) == 2 && o.Binary != nil:
			return o.Binary(args[0], args[1])
		}
		return o.Function(args...)
	}
}

func boundedPlus(f *decls.FunctionDecl) (*decls.FunctionDecl, error) {
	var options []decls.FunctionOpt
	for _, o := range f.OverloadDecls() {
		options = append(options, decls.Overload(o.ID(), o.ArgTypes(), o.ResultType()))
	}
	return decls.NewFunction(operators.Add, append(options, decls.SingletonBinaryBinding(add, traits.AdderType))...)
}

func add(a, b ref.Val) ref.Val {
	if limit := int64(maxElements); size(a)+size(b) > limit {
		if _, list := a.(traits.Lister); !list {
			limit = maxBytes
		}
		if size(a)+size(b) > limit {
			return types.NewErr("the result of %s is too large", "+")
		}
	}
	return a.(traits.Adder).Add(b)
}

// size is the number of characters, bytes or elements, 1 for what has none.
func size(v ref.Val) int64 {
	switch v := v.(type) {
	case types.String:
		return int64(len(v))
	case types.Bytes:
		return int64(len(v))
	case traits.Sizer:
		if n, ok := v.Size().(types.Int); ok {
			return int64(n)
		}
	}
	return 1
}

// weight is the size of a list with that of what is in it, one level down.
func weight(v ref.Val) int64 {
	list, ok := v.(traits.Lister)
	if !ok {
		return size(v)
	}
	total := int64(0)
	for it := list.Iterator(); it.HasNext() == types.True && total < math.MaxInt32; {
		total += 1 + size(it.Next())
	}
	return total
}

// tooMuch is an error if a call would make too much, or take too long.
func tooMuch(name string, args []ref.Val) error {
	made := int64(0)
	switch {
	case name == "replace" && len(args) >= 3:
		text, old := string(str(args[0])), string(str(args[1]))
		made = size(args[0]) + int64(strings.Count(text, old))*size(args[2])
	case name == "join":
		separator := int64(0)
		if len(args) == 2 {
			separator = size(args[1])
		}
		made = weight(args[0]) + size(args[0])*separator
	case name == "format" && len(args) == 2:
		made = size(args[0]) + weight(args[1])
	case slices.Contains([]string{"quantity", "isQuantity", "semver", "isSemver"}, name) && size(args[0]) > maxParsed,
		(name == "find" || name == "findAll") && len(args) >= 2 && size(args[1]) > maxParsed:
		return fmt.Errorf("the argument of %s is too large", name)
	case name == "quantity" || name == "isQuantity":
		return quantity.Check(str(args[0]))
	case name == "distinct" && float64(weight(args[0]))*float64(weight(args[0])) > maxElements:
		return fmt.Errorf("the argument of %s is too large", name)
	case strings.HasPrefix(name, "sets.") && len(args) == 2:
		if pairs := float64(weight(args[0])) * float64(weight(args[1])); pairs > maxElements {
			return fmt.Errorf("the arguments of %s are too large", name)
		}
	}
	if made > maxBytes {
		return fmt.Errorf("the result of %s is too large", name)
	}
	return nil
}

func str(v ref.Val) types.String {
	s, _ := v.(types.String)
	return s
}
