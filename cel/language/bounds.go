package language

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/typeplane/typeplane/runtime/quantity"
)

// CEL counts the cost of a call after it was made. A few functions make much of little, or take
// long, so their arguments are bounded before the call.
const (
	maxBytes     = 10 << 20   // of a string that a function makes
	maxElements  = 1_000_000  // of a list that a function makes
	maxPairs     = 10_000_000 // of values that a function compares
	maxSorted    = 2_000_000  // comparisons of a sort
	maxParsed    = 10_000     // bytes of a string that is parsed as a quantity or a version
	maxPrecision = 100        // digits in a format
)

// boundedFunctions returns the functions of the libraries, and + and matches of the standard
// library, each with a bound.
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
	for name, binding := range replaced {
		bounded, err := boundTo(standard.Functions()[name], binding)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", name, err)
		}
		all = append(all, bounded)
	}
	return all, nil
}

// replaced are the functions of the standard library that have a bound, by name.
var replaced = map[string]decls.FunctionOpt{
	operators.Add:     decls.SingletonBinaryBinding(add, traits.AdderType),
	overloads.Matches: decls.SingletonBinaryBinding(func(a, b ref.Val) ref.Val { return computed(overloads.Matches)(a, b) }, traits.MatcherType),
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
		if regexpOverloads[o.ID()] != "" {
			binding = decls.FunctionBinding(computed(name))
		}
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

// boundTo returns f with another implementation.
func boundTo(f *decls.FunctionDecl, binding decls.FunctionOpt) (*decls.FunctionDecl, error) {
	var options []decls.FunctionOpt
	for _, o := range f.OverloadDecls() {
		overload := decls.Overload
		if o.IsMemberFunction() {
			overload = decls.MemberOverload
		}
		options = append(options, overload(o.ID(), o.ArgTypes(), o.ResultType()))
	}
	return decls.NewFunction(f.Name(), append(options, binding)...)
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

// pairs is how many comparisons of values a function makes that compares each element of a list
// with each of another one.
func pairs(a, b ref.Val) int64 {
	n, m := size(a), size(b)
	return min(n*values(b, maxPairs/max(n, 1)), m*values(a, maxPairs/max(m, 1)))
}

// sorted is how many comparisons sorting a list makes.
func sorted(list ref.Val) int64 {
	n := size(list)
	return n * int64(bits.Len64(uint64(n)))
}

// tooMuch returns an error if a call would make too much, or take too long.
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
		made = printed(args[0], maxBytes) + size(args[0])*separator
	case name == "format" && len(args) == 2:
		made = size(args[0]) + printed(args[1], maxBytes)
	case name == "flatten" && values(args[0], maxElements) > maxElements:
		return fmt.Errorf("the result of %s is too large", name)
	case slices.Contains([]string{"quantity", "isQuantity", "semver", "isSemver"}, name) && size(args[0]) > maxParsed:
		return fmt.Errorf("the argument of %s is too large", name)
	case name == "quantity" || name == "isQuantity":
		return quantity.Check(str(args[0]))
	case (name == "sort" || name == "@sortByAssociatedKeys") && sorted(args[0]) > maxSorted,
		name == "distinct" && pairs(args[0], args[0]) > maxPairs:
		return fmt.Errorf("the argument of %s is too large", name)
	case strings.HasPrefix(name, "sets.") && len(args) == 2 && pairs(args[0], args[1]) > maxPairs:
		return fmt.Errorf("the arguments of %s are too large", name)
	case slices.Contains([]string{"indexOf", "lastIndexOf", "includes"}, name) && searched(args) > maxCompared:
		return fmt.Errorf("the arguments of %s are too large", name)
	}
	if made > maxBytes {
		return fmt.Errorf("the result of %s is too large", name)
	}
	return nil
}

// searched is how many values a search for an element in a list visits, and 0 for a string.
func searched(args []ref.Val) int64 {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return 0
	}
	return comparedWithEach(args[1], list)
}

func str(v ref.Val) types.String {
	s, _ := v.(types.String)
	return s
}
