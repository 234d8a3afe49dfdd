package protobuf

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Slab is memory for values of one type that are allocated together, up to 1 KiB at a time.
type Slab struct {
	values unsafe.Pointer
	free   int16 // of the values, the first ones
	before int16 // one more than the number of the slab that was refilled before this one, once it was
	made   int32 // how many values there were in all
}

// The numbers of slabs that every reader has. 0 is none.
const (
	WordSlab   = 1
	StringSlab = 2

	// FirstSlab is the first number that is free for generated code.
	FirstSlab = 3
)

var (
	// wordLayout is any number or bool that a pointer points at.
	wordLayout = Layout{number: WordSlab, Slab: WordSlab, size: 8, alloc: newValues[uint64], goType: reflect.TypeFor[uint64]()}
	// stringLayout is any string that a pointer points at, or that is in a list.
	stringLayout = Layout{number: StringSlab, Slab: StringSlab, size: unsafe.Sizeof(""), alloc: newValues[string], goType: reflect.TypeFor[string]()}
)

// sliceHeader is a list of any type, as it lies in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// Fill gives a reader the first values of a slab: they are part of something that was allocated for
// many slabs at once.
func Fill[T any](r *Reader, slab int, values []T) {
	r.Slabs[slab] = Slab{values: unsafe.Pointer(unsafe.SliceData(values)), free: int16(len(values)), made: int32(len(values))}
}

// one is a new value.
func (r *Reader) one(t *Layout) unsafe.Pointer {
	if t.Slab == 0 || int(t.Slab) >= len(r.Slabs) {
		return r.alloc(t, 1)
	}
	s := &r.Slabs[t.Slab]
	if s.free == 0 {
		r.refill(s, t)
	}
	s.free--
	return unsafe.Add(s.values, uintptr(s.free)*t.size)
}

// room is n new values, one after the other.
func (r *Reader) room(t *Layout, n int) unsafe.Pointer {
	if t.Slab == 0 || int(t.Slab) >= len(r.Slabs) {
		return r.alloc(t, n)
	}
	s := &r.Slabs[t.Slab]
	if n > int(s.free) {
		if r.refill(s, t); n > int(s.free) {
			return t.alloc(n)
		}
	}
	s.free -= int16(n)
	return unsafe.Add(s.values, uintptr(s.free)*t.size)
}

// alloc makes n values that come from no slab.
func (r *Reader) alloc(t *Layout, n int) unsafe.Pointer {
	if r.arena != nil {
		return r.arena.take(t, n)
	}
	return t.alloc(n)
}

// refill allocates as many values as the last objects needed, or few at first, then as many as
// there are.
func (r *Reader) refill(s *Slab, t *Layout) {
	n, size := 0, max(1, int(t.size))
	if int(t.Slab) < len(r.needs) {
		n = r.needs[t.Slab].likely() - int(s.made)
		if s.before == 0 {
			s.before, r.refilled = r.refilled+1, int16(t.Slab)
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

// need is how many values of a type the last two objects of a kind needed that needed some, in 16
// bits each.
type need struct{ atomic.Uint32 }

// likely is how many the next one will need. It is the smaller number: what is allocated and not
// needed stays with the object.
func (n *need) likely() int {
	v := n.Load()
	return int(min(v>>16, v&0xffff))
}

// remember notes what this object needed.
func (r *Reader) remember() {
	for i := r.refilled; i > 0; i = r.Slabs[i].before - 1 {
		s, n := &r.Slabs[i], &r.needs[i]
		before := n.Load()
		if after := before<<16 | uint32(min(s.made-int32(s.free), 0xffff)); after != before {
			n.Store(after)
		}
	}
}
