package rules_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime/rules"
)

type item struct {
	Name  string
	Port  *int
	Value int
}

func sameKey(a, b *item) bool {
	return a.Name == b.Name && (a.Port == nil && b.Port == nil || a.Port != nil && b.Port != nil && *a.Port == *b.Port)
}

func key(a *item) [2]any { return [2]any{a.Name, rules.Pointee(a.Port)} }

// judge finds fault with some values, and tells what the old one was.
func judge(_ context.Context, _ operation.Operation, path *field.Path, obj, old *item) field.ErrorList {
	if obj.Value > 3 {
		return nil
	}
	was := "new"
	if old != nil {
		was = fmt.Sprint("was ", old.Value)
	}
	return field.ErrorList{field.Invalid(path, obj.Value, was)}
}

func judgeKey(_ context.Context, _ operation.Operation, path *field.Path, obj, _ *string) field.ErrorList {
	return field.ErrorList{field.Invalid(path, *obj, "")}
}

// All answers are those of apimachinery.
func TestAnswersAreThoseOfValidate(t *testing.T) {
	random, ctx, path := rand.New(rand.NewPCG(1, 2)), context.Background(), field.NewPath("list")
	list := func() (out []item, pointers []*item, names []string, values map[string]item) {
		values = map[string]item{}
		for range random.IntN(8) {
			i := item{Name: string(rune('a' + random.IntN(3))), Value: random.IntN(6)}
			if random.IntN(2) == 0 {
				port := random.IntN(2)
				i.Port = &port
			}
			out, names = append(out, i), append(names, i.Name)
			values[i.Name] = i
			pointers = append(pointers, &i)
			if random.IntN(4) == 0 {
				pointers = append(pointers, nil)
			}
		}
		return out, pointers, names, values
	}
	equal := validate.SemanticDeepEqual[*item]
	for range 5000 {
		items, pointers, names, values := list()
		old, oldPointers, oldNames, oldValues := list()
		op := operation.Operation{Type: operation.Type(random.IntN(2) + 1)}
		if random.IntN(4) == 0 {
			op.Type = operation.Create
			old, oldPointers, oldNames, oldValues = nil, nil, nil, nil
		}
		for what, pair := range map[string][2]field.ErrorList{
			"each":              {rules.EachVal(ctx, op, path, items, old, judge), validate.EachValSliceVal(ctx, op, path, items, old, nil, nil, judge)},
			"each pointer":      {rules.EachPtr(ctx, op, path, pointers, oldPointers, judge), validate.EachPtrSliceVal(ctx, op, path, pointers, oldPointers, nil, nil, judge)},
			"by key":            {rules.EachValByKey(ctx, op, path, items, old, key, equal, judge), validate.EachValSliceVal(ctx, op, path, items, old, sameKey, equal, judge)},
			"by pointer's key":  {rules.EachPtrByKey(ctx, op, path, pointers, oldPointers, key, nil, judge), validate.EachPtrSliceVal(ctx, op, path, pointers, oldPointers, sameKey, nil, judge)},
			"by value":          {rules.EachValByKey(ctx, op, path, names, oldNames, rules.Value, nil, judgeKey), validate.EachValSliceVal(ctx, op, path, names, oldNames, validate.DirectEqual, nil, judgeKey)},
			"by match":          {rules.EachValByMatch(ctx, op, path, items, old, sameKey, equal, judge), validate.EachValSliceVal(ctx, op, path, items, old, sameKey, equal, judge)},
			"by pointers match": {rules.EachPtrByMatch(ctx, op, path, pointers, oldPointers, sameKey, equal, judge), validate.EachPtrSliceVal(ctx, op, path, pointers, oldPointers, sameKey, equal, judge)},
			"unique":            {rules.Unique(ctx, op, path, items, old, key), validate.ValSliceUnique(ctx, op, path, items, old, sameKey)},
			"unique pointers":   {rules.UniquePtr(ctx, op, path, pointers, oldPointers, key), validate.PtrSliceUnique(ctx, op, path, pointers, oldPointers, sameKey)},
			"unique values":     {rules.Unique(ctx, op, path, names, oldNames, rules.Value), validate.ValSliceUnique(ctx, op, path, names, oldNames, validate.DirectEqual)},
			"unique by match":   {rules.UniqueByMatch(ctx, op, path, items, old, sameKey), validate.ValSliceUnique(ctx, op, path, items, old, sameKey)},
			"unique pointers by match": {rules.UniquePtrByMatch(ctx, op, path, pointers, oldPointers, sameKey),
				validate.PtrSliceUnique(ctx, op, path, pointers, oldPointers, sameKey)},
			"map":  {sorted(rules.EachMapVal(ctx, op, path, values, oldValues, equal, judge)), sorted(validate.EachMapVal(ctx, op, path, values, oldValues, equal, judge))},
			"keys": {sorted(rules.EachMapKey(ctx, op, path, values, oldValues, judgeKey)), sorted(validate.EachMapKey(ctx, op, path, values, oldValues, judgeKey))},
		} {
			if got, want := pair[0].ToAggregate(), pair[1].ToAggregate(); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s (%v): %v\nwant %v\nof %+v\nafter %+v", what, op.Type, got, want, items, old)
			}
		}
	}
}

// sorted orders errors by their text: maps have no order.
func sorted(errs field.ErrorList) field.ErrorList {
	index := map[string]*field.Error{}
	var texts []string
	for _, err := range errs {
		index[err.Error()] = err
		texts = append(texts, err.Error())
	}
	out := field.ErrorList{}
	for len(texts) > 0 {
		least := 0
		for i := range texts {
			if strings.Compare(texts[i], texts[least]) < 0 {
				least = i
			}
		}
		out = append(out, index[texts[least]])
		texts = append(texts[:least], texts[least+1:]...)
	}
	return out
}

// A million items are no more work than they have to be, and none for a client that has left.
func TestManyItems(t *testing.T) {
	path, op := field.NewPath("list"), operation.Operation{Type: operation.Update}
	many, names := make([]item, 1_000_000), make([]string, 1_000_000)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	calls := 0
	count := func(_ context.Context, _ operation.Operation, path *field.Path, obj, _ *item) field.ErrorList {
		calls++
		return field.ErrorList{field.Required(path, "")}
	}
	if n := len(rules.EachVal(t.Context(), op, path, many, nil, count)); n != rules.Enough || calls != rules.Enough {
		t.Errorf("%d errors after %d calls", n, calls)
	}
	if n := len(rules.Unique(t.Context(), op, path, many, nil, key)); n != rules.Enough {
		t.Errorf("%d items that are there twice", n)
	}
	if errs := rules.Unique(t.Context(), op, path, names, nil, rules.Value); len(errs) > 0 {
		t.Error(errs)
	}
	if errs := rules.EachValByKey(t.Context(), op, path, names, names, rules.Value, nil, judgeKey); len(errs) > 0 {
		t.Error(errs)
	}
	if errs := rules.UniqueByMatch(t.Context(), op, path, many, nil, sameKey); len(errs) != 1 || errs[0].Type != field.ErrorTypeTooMany {
		t.Error(errs)
	}
	if errs := rules.UniqueByMatch(t.Context(), op, path, many, many, sameKey); len(errs) > 0 {
		t.Errorf("what is stored: %v", errs)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	calls = 0
	fine := func(context.Context, operation.Operation, *field.Path, *item, *item) field.ErrorList {
		calls++
		return nil
	}
	if rules.EachVal(gone, op, path, many, nil, fine); calls > 1000 {
		t.Errorf("%d calls after the client has left", calls)
	}
}
