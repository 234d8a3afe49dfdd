// Package language is the Common Expression Language as Kubernetes speaks it: the standard, and the
// functions of k8s.io/apiserver/pkg/cel/library, which are a contract with whoever writes
// expressions. What a call may make of its arguments has a bound before it is made (bounds.go), and
// what it costs is counted when it is over (costs.go).
//
// Start reading at Extended. The package knows nothing of what expressions are about.
package language

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/ext"
	"k8s.io/apiserver/pkg/cel/library"
)

// base is CEL without variables. Making it takes milliseconds, so it is made once.
var base = sync.OnceValues(newBase)

// Extended is the language with more: variables, and functions that need no bound.
func Extended(more ...cel.EnvOption) (*cel.Env, error) {
	b, err := base()
	if err != nil {
		return nil, err
	}
	return b.Extend(more...)
}

func newBase() (*cel.Env, error) {
	standard := &env.LibrarySubset{}
	for name := range replaced {
		standard.ExcludeFunctions = append(standard.ExcludeFunctions, &env.Function{Name: name})
	}
	more, err := libraries()
	if err != nil {
		return nil, err
	}
	bounded, err := boundedFunctions(more)
	if err != nil {
		return nil, err
	}
	return cel.NewCustomEnv(
		cel.StdLib(cel.StdLibSubset(standard)),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		ext.TwoVarComprehensions(),
		cel.FunctionDecls(bounded...),
		cel.Macros(more.Macros()...),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), literalPatterns{}),
	)
}

// libraries are the functions beyond the standard: those of the version of strings that Kubernetes
// has, lists, sets, and its own.
func libraries() (*cel.Env, error) {
	return cel.NewCustomEnv(
		ext.Strings(ext.StringsVersion(2), ext.StringsMaxPrecision(maxPrecision)), ext.Sets(), ext.Lists(ext.ListsVersion(3)),
		library.URLs(), library.Regex(), library.Lists(library.ListsVersion(1)), library.Quantity(), library.IP(), library.CIDR(), library.Format(),
		library.SemverLib(library.SemverVersion(1)),
	)
}

// Program returns the program of a compiled expression. An evaluation ends when it has cost
// MaxCost, or with its context.
func Program(e *cel.Env, ast *cel.Ast) (cel.Program, error) {
	known := literals{}
	return e.Program(ast, cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostLimit(MaxCost), cel.CostTracking(costs{known}),
		cel.OptimizeRegex(known.optimizations()...), cel.CustomDecoratorV2(boundedComparison),
		cel.CustomDecoratorV2(loopsOf(ast.NativeRep()).decorate), cel.InterruptCheckFrequency(interruptEvery))
}
