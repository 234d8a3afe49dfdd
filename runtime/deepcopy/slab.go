package deepcopy

import "unsafe"

// Slab is memory for as many values as were counted, all of it allocated when the first is asked
// for.
type Slab[T any] struct {
	room []T
	used int
	Want int // how many were counted
}

// One is memory for a value.
func (s *Slab[T]) One() *T {
	if s.used >= len(s.room) {
		s.fill(1)
	}
	s.used++
	return &s.room[s.used-1]
}

// List is memory for n values; it is not nil, even for none.
func (s *Slab[T]) List(n int) []T {
	if n > len(s.room)-s.used || s.room == nil {
		s.fill(n)
	}
	s.used += n
	return s.room[s.used-n : s.used : s.used]
}

// fill allocates what was counted, or what is missing if that was not counted: values of maps are
// not.
func (s *Slab[T]) fill(n int) {
	if n < s.Want {
		n = s.Want
	}
	s.room = make([]T, n) // without max, which Go 1.20 lacks: this code is copied into older modules
	s.used, s.Want = 0, 0
}

// Fits is how many bytes are used of memory for so many values; none if they do not suffice.
func (s *Slab[T]) Fits(room int) uintptr {
	if s.Want > room {
		return 0
	}
	var v T
	return uintptr(s.Want) * unsafe.Sizeof(v)
}

// Take makes room the memory, if it suffices.
func (s *Slab[T]) Take(room []T) {
	if s.Want <= len(room) {
		s.room = room
	}
}
