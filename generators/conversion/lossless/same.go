package lossless

import "bytes"

// losslessEqual compares values that Go compares.
func losslessEqual[T comparable](a, b *T) bool { return *a == *b }

// losslessSamePointer compares what two pointers point to.
func losslessSamePointer[T any](a, b *T, same func(a, b *T) bool) bool {
	return a == b || a != nil && b != nil && same(a, b)
}

// losslessSameSlice compares the items of two lists; none and nil are the same.
func losslessSameSlice[S ~[]T, T any](a, b S, same func(a, b *T) bool) bool {
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

// losslessSameMap compares the entries of two maps; none and nil are the same.
func losslessSameMap[M ~map[K]T, K comparable, T any](a, b M, same func(a, b *T) bool) bool {
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

// losslessSameJSON compares values whose fields are not for us.
func losslessSameJSON[T any](a, b *T) bool {
	x, err := losslessJSON(a)
	y, err2 := losslessJSON(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}
