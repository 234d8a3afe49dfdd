package rules

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Rules that gen does not compile are expressions, which module cel evaluates. They see an object
// as the JSON that was sent, where somebody knows it, and what they may cost has a bound for all of
// an object.

// documentKey and budgetKey are the keys of what expressions are told in a context.
type (
	documentKey struct{}
	budgetKey   struct{}
)

// WithDocument is a context for rules about an object of which value tells what was sent, by the
// path from its root. What it tells is a string, bool, int64, uint64 or float64, nil, a []any or a
// map[string]any. ok is false where it does not know. What it returns is not modified.
func WithDocument(ctx context.Context, value func(path *field.Path) (_ any, ok bool)) context.Context {
	return context.WithValue(ctx, documentKey{}, value)
}

// Document is what was sent at a path; ok is false where nobody knows.
func Document(ctx context.Context, path *field.Path) (_ any, ok bool) {
	if value, known := ctx.Value(documentKey{}).(func(*field.Path) (any, bool)); known {
		return value(path)
	}
	return nil, false
}

// WithBudget is a context for one judgement of an object, in one goroutine, whose expressions may
// cost so many steps in all.
func WithBudget(ctx context.Context, steps int64) context.Context {
	return context.WithValue(ctx, budgetKey{}, &steps)
}

// Spend takes steps out of the budget. It is false when there are none left, of which the first one
// to notice tells; where there is no budget it is always true.
func Spend(ctx context.Context, steps uint64) bool {
	left, ok := ctx.Value(budgetKey{}).(*int64)
	if !ok {
		return true
	}
	if *left < 0 || uint64(*left) < steps {
		*left = -1
		return false
	}
	*left -= int64(steps)
	return true
}
