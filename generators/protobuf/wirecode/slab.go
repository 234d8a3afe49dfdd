//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// slabGenerated is memory for values of one type that are allocated together, up to 1 KiB at a time.
type slabGenerated struct {
	values unsafe.Pointer
	free   int16 // of the values, the first ones
	before int16 // one more than the number of the slab that was refilled before this one, once it was
	made   int32 // how many values there were in all
}

// The slabs that every reader has.
const (
	wordSlabGenerated   = 1
	stringSlabGenerated = 2
)

var (
	// wordTypeGenerated is any number or bool that a pointer points at.
	wordTypeGenerated = typeGenerated{number: wordSlabGenerated, slab: wordSlabGenerated, size: 8, alloc: allocGenerated[uint64], goType: reflect.TypeFor[uint64]()}
	// stringTypeGenerated is any string that a pointer points at, or that is in a list.
	stringTypeGenerated = typeGenerated{number: stringSlabGenerated, slab: stringSlabGenerated, size: unsafe.Sizeof(""), alloc: allocGenerated[string], goType: reflect.TypeFor[string]()}
)

// listGenerated is a list of any type, as it lies in memory.
type listGenerated struct {
	data     unsafe.Pointer
	len, cap int
}

// one is a new value.
func (r *readerGenerated) one(t *typeGenerated) unsafe.Pointer {
	if t.slab == 0 || int(t.slab) >= len(r.slabs) {
		return r.alloc(t, 1)
	}
	s := &r.slabs[t.slab]
	if s.free == 0 {
		r.refill(s, t)
	}
	s.free--
	return unsafe.Add(s.values, uintptr(s.free)*t.size)
}

// room is n new values, one after the other.
func (r *readerGenerated) room(t *typeGenerated, n int) unsafe.Pointer {
	if t.slab == 0 || int(t.slab) >= len(r.slabs) {
		return r.alloc(t, n)
	}
	s := &r.slabs[t.slab]
	if n > int(s.free) {
		if r.refill(s, t); n > int(s.free) {
			return t.alloc(n)
		}
	}
	s.free -= int16(n)
	return unsafe.Add(s.values, uintptr(s.free)*t.size)
}

// alloc makes n values that come from no slab.
func (r *readerGenerated) alloc(t *typeGenerated, n int) unsafe.Pointer {
	if r.arena != nil {
		return r.arena.take(t, n)
	}
	return t.alloc(n)
}

// refill allocates as many values as the last objects needed, or few at first, then as many as there are.
func (r *readerGenerated) refill(s *slabGenerated, t *typeGenerated) {
	n, size := 0, max(1, int(t.size))
	if int(t.slab) < len(r.needs) {
		n = r.needs[t.slab].likely() - int(s.made)
		if s.before == 0 {
			s.before, r.refilled = r.refilled+1, int16(t.slab)
		}
	}
	if n <= 0 {
		n = max(64/size, int(s.made))
	}
	n = max(1, min(n, 1024/size))
	s.values = t.alloc(n)
	s.free = int16(n)
	s.made += int32(n)
}

// needGenerated is how many values of a type the last two objects of a kind needed that needed some, in 16 bits each.
type needGenerated struct{ atomic.Uint32 }

// likely is how many the next one will need. It is the smaller number: what is allocated and not needed stays with the
// object.
func (n *needGenerated) likely() int {
	v := n.Load()
	return int(min(v>>16, v&0xffff))
}

// remember notes what this object needed.
func (r *readerGenerated) remember() {
	for i := r.refilled; i > 0; i = r.slabs[i].before - 1 {
		s, n := &r.slabs[i], &r.needs[i]
		before := n.Load()
		if after := before<<16 | uint32(min(s.made-int32(s.free), 0xffff)); after != before {
			n.Store(after)
		}
	}
}
