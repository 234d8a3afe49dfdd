package rules_test

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime/rules"
)

func TestDocument(t *testing.T) {
	path := field.NewPath("spec")
	if _, ok := rules.Document(t.Context(), path); ok {
		t.Error("somebody knows what was sent")
	}
	ctx := rules.WithDocument(t.Context(), func(at *field.Path) (any, bool) { return at.String(), at == path })
	if got, ok := rules.Document(ctx, path); got != "spec" || !ok {
		t.Errorf("%v, %v", got, ok)
	}
}

// TestSpend: the budget is for all expressions together, and one that is overdrawn stays so.
func TestSpend(t *testing.T) {
	if !rules.Spend(context.Background(), 1<<62) {
		t.Error("there is no budget, and it is overdrawn")
	}
	ctx := rules.WithBudget(t.Context(), 10)
	for i, want := range []bool{true, true, false, false} {
		if got := rules.Spend(ctx, []uint64{4, 6, 1, 0}[i]); got != want {
			t.Errorf("step %d: %v", i, got)
		}
	}
}

// TestHeld: what is missing, too much or not one of several keeps rules from being asked, and what
// is wrong otherwise, or by another rule, does not.
func TestHeld(t *testing.T) {
	path := field.NewPath("a")
	for _, tc := range []struct {
		err  *field.Error
		want bool
	}{
		{field.Required(path, ""), false}, {field.TooLong(path, "", 1), false}, {field.TooMany(path, 2, 1), false},
		{field.NotSupported(path, "x", []string{"y"}), false}, {field.TypeInvalid(path, "x", ""), false},
		{field.Invalid(path, "x", ""), true}, {field.Forbidden(path, ""), true}, {field.Duplicate(path, "x"), true},
		{field.Required(path, "").WithOrigin("rule"), true},
	} {
		if got := rules.Held(field.ErrorList{field.Invalid(path, "", ""), tc.err}); got != tc.want {
			t.Errorf("%v: %v", tc.err, got)
		}
	}
	if !rules.Held(nil) {
		t.Error("nothing is wrong, and the schema does not hold")
	}
}

func TestSentOtherwise(t *testing.T) {
	path := field.NewPath("a")
	if !rules.Sent(t.Context(), path, true) || rules.Sent(t.Context(), path, false) {
		t.Error("nobody knows, and that is not said")
	}
	ctx := rules.WithSent(t.Context(), func(at *field.Path) bool { return at == path })
	if !rules.Sent(ctx, path, false) || rules.Sent(ctx, field.NewPath("b"), true) {
		t.Error("somebody knows, and is not asked")
	}
	once := rules.WithSentOnce(t.Context(), func(*field.Path) bool { return true })
	if rules.Sent(once, path, false) {
		t.Error("what is not kept does not count")
	}
}
