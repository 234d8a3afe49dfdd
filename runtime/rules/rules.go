// Package rules is what generated validation leans on for lists and maps: the functions of
// apimachinery's package validate, with the same answers, except for input of strangers. They find
// equal items by their keys instead of comparing all pairs. They stop when they have found Enough,
// or when nobody waits for the answer any more. So whoever asks them looks at the context
// afterwards: a short list of errors may be that of a request that has ended.
//
// Start reading at EachVal. Keys are functions that gen prints; what has no key is compared, up to
// maxCompared items.
package rules

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// Enough is how many violations one function looks for before it stops.
	Enough = 100
	// maxCompared is how many items without a key a list may have that must be different.
	maxCompared = 1000
	// patience is how many items are looked at before the context is.
	patience = 256
)

// enough says whether to stop before the item with an index.
func enough(ctx context.Context, i int, errs field.ErrorList) bool {
	return len(errs) >= Enough || i%patience == patience-1 && ctx.Err() != nil
}

// Same says whether two values are the same JSON. It is for types with fields out of reach, about
// which equality.Semantic panics.
func Same[T any](a, b T) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && bytes.Equal(x, y)
}

// EachVal judges every item of a list, each as if it were new.
func EachVal[T any](ctx context.Context, op operation.Operation, path *field.Path, items, _ []T, judge validate.ValidateFunc[*T]) field.ErrorList {
	return each(ctx, op, path, items, address, nothing, nil, judge)
}

// EachList is EachVal for a list of lists.
func EachList[T any](ctx context.Context, op operation.Operation, path *field.Path, items, _ []T, judge validate.ValidateFunc[T]) field.ErrorList {
	return EachVal(ctx, op, path, items, nil, func(ctx context.Context, op operation.Operation, path *field.Path, obj, _ *T) field.ErrorList {
		var none T
		return judge(ctx, op, path, *obj, none)
	})
}

// EachValBehind is EachVal for a pointer to a list.
func EachValBehind[T any](ctx context.Context, op operation.Operation, path *field.Path, items, _ *[]T, judge validate.ValidateFunc[*T]) field.ErrorList {
	if items == nil {
		return nil
	}
	return EachVal(ctx, op, path, *items, nil, judge)
}

// EachPtr is EachVal for a list of pointers; those that are nil are passed over.
func EachPtr[T any](ctx context.Context, op operation.Operation, path *field.Path, items, _ []*T, judge validate.ValidateFunc[*T]) field.ErrorList {
	return each(ctx, op, path, items, itself, nothing, nil, judge)
}

// EachValByKey judges every item, in an update together with the old item of the same key, and not
// if equal says that it is unchanged. With nil for equal those that have the same key are the same.
func EachValByKey[T any, K comparable](ctx context.Context, op operation.Operation, path *field.Path, items, old []T,
	key func(*T) K, equal validate.MatchFunc[*T], judge validate.ValidateFunc[*T]) field.ErrorList {
	return each(ctx, op, path, items, address, byKey(old, address, key), same(equal), judge)
}

// EachPtrByKey is EachValByKey for a list of pointers.
func EachPtrByKey[T any, K comparable](ctx context.Context, op operation.Operation, path *field.Path, items, old []*T,
	key func(*T) K, equal validate.MatchFunc[*T], judge validate.ValidateFunc[*T]) field.ErrorList {
	return each(ctx, op, path, items, itself, byKey(old, itself, key), same(equal), judge)
}

// EachValByMatch is EachValByKey for items without a key. In a long list all items count as new.
func EachValByMatch[T any](ctx context.Context, op operation.Operation, path *field.Path, items, old []T,
	match, equal validate.MatchFunc[*T], judge validate.ValidateFunc[*T]) field.ErrorList {
	return each(ctx, op, path, items, address, byMatch(old, len(items), address, match), same(equal), judge)
}

// EachPtrByMatch is EachValByMatch for a list of pointers.
func EachPtrByMatch[T any](ctx context.Context, op operation.Operation, path *field.Path, items, old []*T,
	match, equal validate.MatchFunc[*T], judge validate.ValidateFunc[*T]) field.ErrorList {
	return each(ctx, op, path, items, itself, byMatch(old, len(items), itself, match), same(equal), judge)
}

// each judges the items that changed. I is how they are in the list, at gets at one, before finds
// what it was; nil there is none.
func each[I, T any](ctx context.Context, op operation.Operation, path *field.Path, items []I,
	at func(*I) *T, before func(*T) *T, equal validate.MatchFunc[*T], judge validate.ValidateFunc[*T]) (errs field.ErrorList) {
	for i := range items {
		item := at(&items[i])
		if item == nil {
			continue
		}
		if enough(ctx, i, errs) {
			return errs
		}
		old := before(item)
		if op.Type == operation.Update && old != nil && equal(item, old) {
			continue
		}
		errs = append(errs, judge(ctx, op, path.Index(i), item, old)...)
	}
	return errs
}

func address[T any](item *T) *T { return item }

func itself[T any](item **T) *T { return *item }

func nothing[T any](*T) *T { return nil }

// same is how two items are compared that were found by a key or a match that says all about them.
func same[T any](equal validate.MatchFunc[*T]) validate.MatchFunc[*T] {
	if equal == nil {
		return func(*T, *T) bool { return true }
	}
	return equal
}

// byKey finds the first old item of the same key.
func byKey[I, T any, K comparable](old []I, at func(*I) *T, key func(*T) K) func(*T) *T {
	if len(old) == 0 {
		return nothing
	}
	index := make(map[K]*T, len(old))
	for i := range old {
		item := at(&old[i])
		if item == nil {
			continue
		}
		if k := key(item); index[k] == nil {
			index[k] = item
		}
	}
	return func(item *T) *T { return index[key(item)] }
}

// byMatch finds the first old item that matches.
func byMatch[I, T any](old []I, items int, at func(*I) *T, match validate.MatchFunc[*T]) func(*T) *T {
	if len(old) == 0 || max(len(old), items) > maxCompared {
		return nothing
	}
	return comparing(old, at, match)
}

// comparing finds the first item that matches, one comparison after the other.
func comparing[I, T any](items []I, at func(*I) *T, match validate.MatchFunc[*T]) func(*T) *T {
	return func(item *T) *T {
		for i := range items {
			if other := at(&items[i]); other != nil && match(other, item) {
				return other
			}
		}
		return nil
	}
}

// EachMapVal judges every value of a map, in an update together with the old value, and not if
// equal says that it is unchanged.
func EachMapVal[K ~string, V any](ctx context.Context, op operation.Operation, path *field.Path, values, before map[K]V,
	equal validate.MatchFunc[*V], judge validate.ValidateFunc[*V]) (errs field.ErrorList) {
	i := 0
	for key, value := range values {
		if enough(ctx, i, errs) {
			return errs
		}
		i++
		var old *V
		if was, found := before[key]; found {
			old = &was
		}
		if op.Type == operation.Update && old != nil && equal != nil && equal(&value, old) {
			continue
		}
		errs = append(errs, judge(ctx, op, path.Key(string(key)), &value, old)...)
	}
	return errs
}

// EachMapList is EachMapVal for a map of lists.
func EachMapList[K ~string, V any](ctx context.Context, op operation.Operation, path *field.Path, values, before map[K]V,
	equal validate.MatchFunc[*V], judge validate.ValidateFunc[V]) field.ErrorList {
	return EachMapVal(ctx, op, path, values, before, equal, func(ctx context.Context, op operation.Operation, path *field.Path, obj, old *V) field.ErrorList {
		var was V
		if old != nil {
			was = *old
		}
		return judge(ctx, op, path, *obj, was)
	})
}

// EachMapKey judges every key of a map, in an update those that are new. The path is that of the
// map.
func EachMapKey[K ~string, V any](ctx context.Context, op operation.Operation, path *field.Path, values, before map[K]V,
	judge validate.ValidateFunc[*K]) (errs field.ErrorList) {
	i := 0
	for key := range values {
		if enough(ctx, i, errs) {
			return errs
		}
		i++
		if _, found := before[key]; found && op.Type == operation.Update {
			continue
		}
		errs = append(errs, judge(ctx, op, path, &key, nil)...)
	}
	return errs
}

// Unique wants items with different keys.
func Unique[T any, K comparable](ctx context.Context, _ operation.Operation, path *field.Path, items, _ []T, key func(*T) K) field.ErrorList {
	return unique(ctx, path, items, address, key)
}

// UniquePtr is Unique for a list of pointers; those that are nil are passed over.
func UniquePtr[T any, K comparable](ctx context.Context, _ operation.Operation, path *field.Path, items, _ []*T, key func(*T) K) field.ErrorList {
	return unique(ctx, path, items, itself, key)
}

func unique[I, T any, K comparable](ctx context.Context, path *field.Path, items []I, at func(*I) *T, key func(*T) K) (errs field.ErrorList) {
	if len(items) < 2 {
		return nil
	}
	seen := make(map[K]struct{}, len(items))
	for i := range items {
		item := at(&items[i])
		if item == nil {
			continue
		}
		if enough(ctx, i, errs) {
			return errs
		}
		k := key(item)
		if _, twice := seen[k]; twice {
			errs = append(errs, field.Duplicate(path.Index(i), items[i]))
		}
		seen[k] = struct{}{}
	}
	return errs
}

// UniqueByMatch wants items that are different by a comparison, and not too many of them; what is
// stored with more may stay.
func UniqueByMatch[T any](ctx context.Context, _ operation.Operation, path *field.Path, items, old []T, match validate.MatchFunc[*T]) field.ErrorList {
	return uniqueByMatch(ctx, path, items, len(old), address, match)
}

// UniquePtrByMatch is UniqueByMatch for a list of pointers; those that are nil are passed over.
func UniquePtrByMatch[T any](ctx context.Context, _ operation.Operation, path *field.Path, items, old []*T, match validate.MatchFunc[*T]) field.ErrorList {
	return uniqueByMatch(ctx, path, items, len(old), itself, match)
}

func uniqueByMatch[I, T any](ctx context.Context, path *field.Path, items []I, had int, at func(*I) *T, match validate.MatchFunc[*T]) (errs field.ErrorList) {
	if len(items) > maxCompared {
		if len(items) > had {
			errs = append(errs, field.TooMany(path, len(items), maxCompared))
		}
		return errs
	}
	for i := range items {
		item := at(&items[i])
		if item == nil {
			continue
		}
		if enough(ctx, i, errs) {
			return errs
		}
		if slices.ContainsFunc(items[:i], func(other I) bool { o := at(&other); return o != nil && match(o, item) }) {
			errs = append(errs, field.Duplicate(path.Index(i), items[i]))
		}
	}
	return errs
}

// UpdateByKey keeps a list from changes that the constraints forbid. Items of the same key are the
// same.
func UpdateByKey[T any, K comparable](ctx context.Context, op operation.Operation, path *field.Path, items, old []T,
	key func(*T) K, constraints ...validate.UpdateConstraint) field.ErrorList {
	return update(ctx, op, path, items, old, address,
		func(in []T) func(*T) *T { return byKey(in, address, key) }, constraints)
}

// UpdatePtrByKey is UpdateByKey for a list of pointers; those that are nil are passed over.
func UpdatePtrByKey[T any, K comparable](ctx context.Context, op operation.Operation, path *field.Path, items, old []*T,
	key func(*T) K, constraints ...validate.UpdateConstraint) field.ErrorList {
	return update(ctx, op, path, items, old, itself,
		func(in []*T) func(*T) *T { return byKey(in, itself, key) }, constraints)
}

// UpdateByMatch is UpdateByKey for items without a key. Lists too long to be compared may not be
// changed.
func UpdateByMatch[T any](ctx context.Context, op operation.Operation, path *field.Path, items, old []T,
	match validate.MatchFunc[*T], constraints ...validate.UpdateConstraint) field.ErrorList {
	if errs := tooManyPairs(op, path, len(items), len(old)); len(errs) > 0 {
		return errs
	}
	return update(ctx, op, path, items, old, address,
		func(in []T) func(*T) *T { return comparing(in, address, match) }, constraints)
}

// UpdatePtrByMatch is UpdateByMatch for a list of pointers; those that are nil are passed over.
func UpdatePtrByMatch[T any](ctx context.Context, op operation.Operation, path *field.Path, items, old []*T,
	match validate.MatchFunc[*T], constraints ...validate.UpdateConstraint) field.ErrorList {
	if errs := tooManyPairs(op, path, len(items), len(old)); len(errs) > 0 {
		return errs
	}
	return update(ctx, op, path, items, old, itself,
		func(in []*T) func(*T) *T { return comparing(in, itself, match) }, constraints)
}

// tooManyPairs refuses an update that takes more comparisons than two lists of maxCompared items.
func tooManyPairs(op operation.Operation, path *field.Path, items, old int) field.ErrorList {
	if op.Type != operation.Update || items*old <= maxCompared*maxCompared {
		return nil
	}
	return field.ErrorList{field.TooMany(path, max(items, old), maxCompared)}
}

// update looks at what one list has and the other one lacks. find makes a function that finds the
// like of an item in a list.
func update[I, T any](ctx context.Context, op operation.Operation, path *field.Path, items, old []I,
	at func(*I) *T, find func([]I) func(*T) *T, constraints []validate.UpdateConstraint) (errs field.ErrorList) {
	if op.Type != operation.Update {
		return nil
	}
	for _, c := range constraints {
		switch c {
		case validate.NoAddItem:
			errs = append(errs, missing(ctx, items, at, find(old), func(i int) *field.Error {
				return field.Forbidden(path.Index(i), "item may not be added")
			})...)
		case validate.NoRemoveItem:
			errs = append(errs, missing(ctx, old, at, find(items), func(int) *field.Error {
				return field.Forbidden(path, "item may not be removed")
			})...)
		default: // whether there are items at all
			errs = append(errs, validate.ValSliceUpdate(ctx, op, path, items, old, nil, c)...)
		}
	}
	return errs
}

// missing makes an error for each item that find does not find.
func missing[I, T any](ctx context.Context, items []I, at func(*I) *T, find func(*T) *T, err func(i int) *field.Error) (errs field.ErrorList) {
	for i := range items {
		item := at(&items[i])
		if item == nil {
			continue
		}
		if enough(ctx, i, errs) {
			return errs
		}
		if find(item) == nil {
			errs = append(errs, err(i).WithOrigin("update"))
		}
	}
	return errs
}

// UpdateMap keeps a map from changes that the constraints forbid.
func UpdateMap[K comparable, V any](ctx context.Context, op operation.Operation, path *field.Path, values, old map[K]V,
	constraints ...validate.UpdateConstraint) (errs field.ErrorList) {
	if op.Type != operation.Update {
		return nil
	}
	for _, c := range constraints {
		switch c {
		case validate.NoAddItem:
			errs = append(errs, missingKeys(ctx, path, values, old, "item may not be added")...)
		case validate.NoRemoveItem:
			errs = append(errs, missingKeys(ctx, path, old, values, "item may not be removed")...)
		default: // whether there are entries at all
			errs = append(errs, validate.UpdateMap(ctx, op, path, values, old, c)...)
		}
	}
	return errs
}

// missingKeys makes an error for each key of one map that the other one lacks.
func missingKeys[K comparable, V any](ctx context.Context, path *field.Path, of, in map[K]V, text string) (errs field.ErrorList) {
	i := 0
	for key := range of {
		if enough(ctx, i, errs) {
			return errs
		}
		i++
		if _, found := in[key]; !found {
			errs = append(errs, field.Forbidden(path.Key(fmt.Sprint(key)), text).WithOrigin("update"))
		}
	}
	return errs
}

// Value is the key of items that are compared as they are.
func Value[T comparable](item *T) T { return *item }

// Pointee is the key that a pointer stands for: what it points to, or that it is nil.
func Pointee[T comparable](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
