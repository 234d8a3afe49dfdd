//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import "unsafe"

// slabGenerated allocates values of one type together: few at first, then more, up to 1 KiB. It is those that are
// free; its capacity is how many were allocated last.
type slabGenerated[T any] []T

// nextOf is a new value.
func (s *slabGenerated[T]) nextOf() *T {
	if len(*s) == 0 {
		s.refill()
	}
	last := len(*s) - 1
	v := &(*s)[last]
	*s = (*s)[:last]
	return v
}

// listOf is an empty list with room for n values, and for no more.
func (s *slabGenerated[T]) listOf(n int) []T {
	if n > len(*s) {
		if s.refill(); n > len(*s) {
			return make([]T, 0, n)
		}
	}
	last := len(*s)
	v := (*s)[last-n : last-n : last]
	*s = (*s)[:last-n]
	return v
}

func (s *slabGenerated[T]) refill() {
	var v T
	size := max(1, int(unsafe.Sizeof(v)))
	*s = make([]T, max(1, 64/size, min(2*cap(*s), 1024/size)))
}

// newWordGenerated is a new number or bool.
func newWordGenerated[T ~bool | ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64](r *readerGenerated) *T {
	return (*T)(unsafe.Pointer(r.words.nextOf()))
}

// newTextGenerated is a new string.
func newTextGenerated[S ~string](r *readerGenerated) *S {
	return (*S)(unsafe.Pointer(r.strings.nextOf()))
}

// growGenerated adds an empty element to a list, for the message that was entered; the one around it ends at end. A
// list without room gets as much as it needs for all elements that stand one after the other.
func growGenerated[L ~[]T, T any](r *readerGenerated, end int, list *L) *T {
	n := len(*list)
	if n < cap(*list) {
		*list = (*list)[:n+1]
		clear((*list)[n:])
		return &(*list)[n]
	}
	more := make(L, n+1, n+max(n, 1+r.following(r.end, end)))
	copy(more, *list)
	*list = more
	return &more[n]
}

// growFromGenerated is growGenerated for lists that get their room from a slab.
func growFromGenerated[L ~[]T, T any](r *readerGenerated, end int, list *L, slab *slabGenerated[T]) *T {
	if cap(*list) > 0 {
		return growGenerated(r, end, list)
	}
	*list = slab.listOf(1 + r.following(r.end, end))[:1]
	return &(*list)[0]
}
