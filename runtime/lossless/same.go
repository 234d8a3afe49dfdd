package lossless

import "bytes"

// Equal compares values that Go compares.
func Equal[T comparable](a, b *T) bool { return *a == *b }

// SamePointer compares what two pointers point to.
func SamePointer[T any](a, b *T, same func(a, b *T) bool) bool {
	return a == b || a != nil && b != nil && same(a, b)
}

// SameSlice compares the items of two lists; none and nil are the same.
func SameSlice[S ~[]T, T any](a, b S, same func(a, b *T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true // conversion shares memory where it can
	}
	for i := range a {
		if !same(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// SameMap compares the entries of two maps; none and nil are the same.
func SameMap[M ~map[K]T, K comparable, T any](a, b M, same func(a, b *T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for key, x := range a {
		if y, ok := b[key]; !ok || !same(&x, &y) {
			return false
		}
	}
	return true
}

// SameJSON compares values whose fields are not for us.
func SameJSON[T any](a, b *T) bool {
	x, err := compact(a)
	y, err2 := compact(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}
