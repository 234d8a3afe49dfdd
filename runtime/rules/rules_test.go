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

var allChanges = []validate.UpdateConstraint{validate.NoSet, validate.NoUnset, validate.NoAddItem, validate.NoRemoveItem}

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
			"update":             {rules.UpdateByKey(ctx, op, path, items, old, key, allChanges...), validate.ValSliceUpdate(ctx, op, path, items, old, sameKey, allChanges...)},
			"update of pointers": {rules.UpdatePtrByKey(ctx, op, path, pointers, oldPointers, key, allChanges...), validate.PtrSliceUpdate(ctx, op, path, pointers, oldPointers, sameKey, allChanges...)},
			"update by match":    {rules.UpdateByMatch(ctx, op, path, items, old, sameKey, allChanges...), validate.ValSliceUpdate(ctx, op, path, items, old, sameKey, allChanges...)},
			"update of pointers by match": {rules.UpdatePtrByMatch(ctx, op, path, pointers, oldPointers, sameKey, allChanges...),
				validate.PtrSliceUpdate(ctx, op, path, pointers, oldPointers, sameKey, allChanges...)},
			"update of map": {sorted(rules.UpdateMap(ctx, op, path, values, oldValues, allChanges...)), sorted(validate.UpdateMap(ctx, op, path, values, oldValues, allChanges...))},

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

// Many items are no more work than they have to be, and none for a client that has left.
func TestManyItems(t *testing.T) {
	const n = 2000
	path, op := field.NewPath("list"), operation.Operation{Type: operation.Update}
	many, names, others, values := make([]item, n), make([]string, n), make([]string, n), map[string]item{}
	for i := range names {
		names[i], others[i] = fmt.Sprint(i), fmt.Sprint("other ", i)
		values[names[i]] = item{}
	}
	var calls int
	counted := func(s *string) string {
		calls++
		return *s
	}
	bad := func(_ context.Context, _ operation.Operation, path *field.Path, _, _ *item) field.ErrorList {
		calls++
		return field.ErrorList{field.Required(path, "")}
	}
	noAdd, noRemove := validate.NoAddItem, validate.NoRemoveItem
	for name, tc := range map[string]struct {
		got         func() field.ErrorList
		want, calls int // errors; calls at most
	}{
		"all are bad":       {func() field.ErrorList { return rules.EachVal(t.Context(), op, path, many, nil, bad) }, rules.Enough, rules.Enough},
		"all are the same":  {func() field.ErrorList { return rules.Unique(t.Context(), op, path, many, nil, key) }, rules.Enough, 0},
		"all are different": {func() field.ErrorList { return rules.Unique(t.Context(), op, path, names, nil, counted) }, 0, n},
		"nothing changed": {func() field.ErrorList {
			return rules.EachValByKey(t.Context(), op, path, names, names, counted, nil, judgeKey)
		}, 0, 2 * n},
		"nothing added or removed": {func() field.ErrorList {
			return rules.UpdateByKey(t.Context(), op, path, names, names, counted, noAdd, noRemove)
		},
			0, 4 * n},
		"all are added":       {func() field.ErrorList { return rules.UpdateByKey(t.Context(), op, path, names, nil, counted, noAdd) }, rules.Enough, n},
		"all are removed":     {func() field.ErrorList { return rules.UpdateByKey(t.Context(), op, path, nil, names, counted, noRemove) }, rules.Enough, n},
		"all are replaced":    {func() field.ErrorList { return rules.UpdateByKey(t.Context(), op, path, names, others, counted, noAdd) }, rules.Enough, 2 * n},
		"all entries added":   {func() field.ErrorList { return rules.UpdateMap(t.Context(), op, path, values, nil, noAdd) }, rules.Enough, 0},
		"all entries removed": {func() field.ErrorList { return rules.UpdateMap(t.Context(), op, path, nil, values, noRemove) }, rules.Enough, 0},
	} {
		calls = 0
		if errs := tc.got(); len(errs) != tc.want || calls > tc.calls {
			t.Errorf("%s: %d errors after %d calls, want %d after at most %d", name, len(errs), calls, tc.want, tc.calls)
		}
	}
	if errs := rules.UniqueByMatch(t.Context(), op, path, many, many, sameKey); len(errs) > 0 {
		t.Errorf("what is stored: %v", errs)
	}
	for name, errs := range map[string]field.ErrorList{
		"unique": rules.UniqueByMatch(t.Context(), op, path, many, nil, sameKey),
		"update": rules.UpdateByMatch(t.Context(), op, path, many, many, sameKey, noAdd),
	} {
		if len(errs) != 1 || errs[0].Type != field.ErrorTypeTooMany {
			t.Errorf("%s, too many to be compared: %v", name, errs)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	calls = 0
	fine := func(context.Context, operation.Operation, *field.Path, *item, *item) field.ErrorList {
		calls++
		return nil
	}
	if rules.EachVal(gone, op, path, many, nil, fine); calls > n/2 {
		t.Errorf("%d calls after the client has left", calls)
	}
}
