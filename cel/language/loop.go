package language

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/interpreter"
)

// loops makes the cost tracker of CEL forget the values of a loop's earlier rounds. The tracker has
// a stack of values, of which each round leaves some behind, and each use of a variable searches
// the whole stack for the variable's last value. So a loop took time with the square of its rounds.
//
// The step of a loop uses the loop's result so far. loops maps the ID of this use to the ID of the
// step. The tracker then searches for the value of the last step, and drops what lies above it.
type loops map[int64]int64

func loopsOf(a *ast.AST) loops {
	l := loops{}
	for _, use := range ast.MatchDescendants(ast.NavigateAST(a), ast.KindMatcher(ast.IdentKind)) {
		inner := use
		for outer, ok := inner.Parent(); ok; outer, ok = inner.Parent() {
			if outer.Kind() != ast.ComprehensionKind {
				inner = outer
				continue
			}
			if loop := outer.AsComprehension(); loop.AccuVar() == use.AsIdent() && loop.LoopStep().ID() == inner.ID() {
				l[use.ID()] = inner.ID()
			}
			break
		}
	}
	return l
}

func (l loops) decorate(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	use, ok := i.(interpreter.InterpretableAttribute)
	if !ok || l[i.ID()] == 0 {
		return i, nil
	}
	return &accumulator{use, l[i.ID()]}, nil
}

// accumulator is a use of a loop's result in its step.
type accumulator struct {
	interpreter.InterpretableAttribute
	step int64
}

func (a *accumulator) Attr() interpreter.Attribute {
	return &renamed{a.InterpretableAttribute.Attr(), a.step}
}

// renamed is an attribute with the ID of another expression.
type renamed struct {
	interpreter.Attribute
	id int64
}

func (r *renamed) ID() int64 { return r.id }
