package rules_test

import (
	"context"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime/rules"
)

func TestSent(t *testing.T) {
	type pair struct{ A, B int }
	knowing := func(sent bool) context.Context {
		return rules.WithSent(context.Background(), func(path *field.Path) bool {
			if path.String() != "spec.x" {
				t.Errorf("asked for %s", path)
			}
			return sent
		})
	}
	path, op := field.NewPath("spec", "x"), operation.Operation{}
	zero, one := 0, 1
	for _, tc := range []struct {
		name  string
		judge func(ctx context.Context) bool
		// what nobody knows about, what was sent, what was left out
		unknown, sent, left bool
	}{
		{"optional zero stops", func(ctx context.Context) bool { return len(rules.OptionalValue(ctx, op, path, &zero, nil)) > 0 }, true, false, true},
		{"optional one stops", func(ctx context.Context) bool { return len(rules.OptionalValue(ctx, op, path, &one, nil)) > 0 }, false, false, false},
		{"optional list stops", func(ctx context.Context) bool { return len(rules.OptionalSlice(ctx, op, path, []int{}, nil)) > 0 }, true, false, true},
		{"optional map stops", func(ctx context.Context) bool {
			return len(rules.OptionalMap(ctx, op, path, map[string]int{}, nil)) > 0
		}, true, false, true},
		{"optional struct is left out", func(ctx context.Context) bool { return rules.StructLeftOut(ctx, path, &pair{}) }, true, false, true},
		{"optional struct with defaults is left out", func(ctx context.Context) bool { return rules.StructLeftOut(ctx, path, &pair{B: 1}) }, false, false, true},
		{"required zero is missed", func(ctx context.Context) bool { return len(rules.RequiredValue(ctx, op, path, &zero, nil, false)) > 0 }, false, false, true},
		{"required zero that clients leave out is missed", func(ctx context.Context) bool { return len(rules.RequiredValue(ctx, op, path, &zero, nil, true)) > 0 }, true, false, true},
		{"required one is missed", func(ctx context.Context) bool { return len(rules.RequiredValue(ctx, op, path, &one, nil, true)) > 0 }, false, false, false},
		{"required pointer is missed", func(ctx context.Context) bool {
			return len(rules.RequiredPointer[int](ctx, op, path, nil, nil, true)) > 0
		}, true, false, true},
		{"required struct is missed", func(ctx context.Context) bool { return len(rules.RequiredStruct(ctx, op, path, &pair{}, nil)) > 0 }, false, false, true},
		{"required empty list is missed", func(ctx context.Context) bool { return len(rules.RequiredSlice(ctx, op, path, []int{}, nil, true)) > 0 }, false, false, true},
		{"required nil list is missed", func(ctx context.Context) bool {
			return len(rules.RequiredSlice[int](ctx, op, path, nil, nil, true)) > 0
		}, true, false, true},
		{"required nil map is missed", func(ctx context.Context) bool {
			return len(rules.RequiredMap[string, int](ctx, op, path, nil, nil, false)) > 0
		}, false, false, true},
	} {
		for ctx, want := range map[context.Context]bool{context.Background(): tc.unknown, knowing(true): tc.sent, knowing(false): tc.left} {
			if got := tc.judge(ctx); got != want {
				t.Errorf("%s: %v with %v", tc.name, got, ctx)
			}
		}
	}
}

// Where the Go value is stored, what it prints is not told from what was sent. A zero value that
// clients leave out is missed although it was sent, and a struct that is all zero is not there.
func TestSentOnce(t *testing.T) {
	type pair struct{ A, B int }
	path, op, zero := field.NewPath("spec", "x"), operation.Operation{}, 0
	for _, tc := range []struct {
		name       string
		judge      func(ctx context.Context) bool
		sent, left bool
	}{
		{"optional zero stops", func(ctx context.Context) bool { return len(rules.OptionalValue(ctx, op, path, &zero, nil)) > 0 }, false, true},
		{"optional zero struct is left out", func(ctx context.Context) bool { return rules.StructLeftOut(ctx, path, &pair{}) }, true, true},
		{"optional struct with defaults is left out", func(ctx context.Context) bool { return rules.StructLeftOut(ctx, path, &pair{B: 1}) }, false, false},
		{"required zero is missed", func(ctx context.Context) bool { return len(rules.RequiredValue(ctx, op, path, &zero, nil, false)) > 0 }, false, true},
		{"required zero that clients leave out is missed", func(ctx context.Context) bool { return len(rules.RequiredValue(ctx, op, path, &zero, nil, true)) > 0 }, true, true},
		{"required struct is missed", func(ctx context.Context) bool { return len(rules.RequiredStruct(ctx, op, path, &pair{}, nil)) > 0 }, false, true},
		{"required empty list is missed", func(ctx context.Context) bool { return len(rules.RequiredSlice(ctx, op, path, []int{}, nil, true)) > 0 }, false, true},
		{"required nil list is missed", func(ctx context.Context) bool {
			return len(rules.RequiredSlice[int](ctx, op, path, nil, nil, true)) > 0
		}, true, true},
	} {
		for sent, want := range map[bool]bool{true: tc.sent, false: tc.left} {
			ctx := rules.WithSentOnce(context.Background(), func(*field.Path) bool { return sent })
			if got := tc.judge(ctx); got != want {
				t.Errorf("%s: %v, sent %v", tc.name, got, sent)
			}
		}
	}
}

func TestWas(t *testing.T) {
	type pair struct{ A, B int }
	path := field.NewPath("spec", "x")
	was := func(old any, omits bool) func(ctx context.Context) bool {
		return func(ctx context.Context) bool { return rules.WasThere(ctx, path, reflect.ValueOf(old), omits) }
	}
	for _, tc := range []struct {
		name string
		was  func(ctx context.Context) bool
		// what nobody knows about, or not of this place; what was there; what was not
		unknown, there, not bool
	}{
		{"zero", was(0, false), true, true, false},
		{"zero that clients leave out", was(0, true), false, true, false},
		{"one", was(1, true), true, true, true},
		{"struct", was(pair{}, true), false, true, false},
		{"struct with defaults", was(pair{B: 1}, true), true, true, false},
		{"nothing", func(ctx context.Context) bool { return rules.Was[int](ctx, path, nil, false) != nil }, false, false, false},
	} {
		knowing := func(there, known bool) context.Context {
			return rules.WithBefore(context.Background(), func(*field.Path) (bool, bool) { return there, known })
		}
		for ctx, want := range map[context.Context]bool{context.Background(): tc.unknown, knowing(false, false): tc.unknown, knowing(true, true): tc.there, knowing(false, true): tc.not} {
			if got := tc.was(ctx); got != want {
				t.Errorf("%s: %v with %v", tc.name, got, ctx)
			}
		}
	}
}
