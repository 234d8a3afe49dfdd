package json

import (
	"encoding/base64"
	"reflect"
	"slices"
	"unsafe"
)

// ReadSlice reads an array into a slice; read reads an element. typ is the type as reflect prints
// it. Elements that are there already, also behind the slice's end, are read into, as encoding/json
// does.
func ReadSlice[S ~[]E, E any](r *Reader, out *S, typ string, read func(*Reader, *E)) {
	if r.Null() {
		if !r.stopped() {
			*out = nil
		}
		return
	}
	if !r.beginArray(typ) {
		return
	}
	s, n := *out, 0
	cost := uintptr(ItemCost(reflect.TypeFor[E]()))
	for r.nextElement() {
		switch {
		case n == cap(s):
			if s = grow(r, s); r.stopped() {
				continue
			}
		case n == len(s):
			s = s[:n+1]
		}
		r.take(cost)
		read(r, &s[n])
		n++
	}
	if s = s[:n]; n == 0 {
		s = S{}
	}
	*out = s
}

// largeList is from how many bytes on the room of a list is doubled: growing by less would leave
// several times of it as garbage.
const largeList = 256 << 10

// grow appends an element to a list that is full. If there may not be more it stops the reading
// instead.
func grow[S ~[]E, E any](r *Reader, s S) S {
	var zero E
	have := uintptr(cap(s)) * unsafe.Sizeof(zero)
	if have < largeList {
		s = append(s, zero)
		r.take(uintptr(cap(s))*unsafe.Sizeof(zero) - have)
		return s
	}
	if r.take(have); r.stopped() {
		return s
	}
	return append(slices.Grow(s, cap(s)), zero)
}

// ReadArray reads an array into a Go array, given as a slice of all of it. Elements that the data
// does not have become zero, and those that are too many are passed over.
func ReadArray[E any](r *Reader, out []E, typ string, read func(*Reader, *E)) {
	if r.Null() || !r.beginArray(typ) {
		return
	}
	n := 0
	for r.nextElement() {
		if n < len(out) {
			read(r, &out[n])
			n++
		} else {
			r.skip()
		}
	}
	clear(out[n:])
}

func (r *Reader) beginArray(typ string) bool {
	if r.peek() != '[' {
		r.Mismatch(typ)
		return false
	}
	r.pos++
	r.push(0)
	return true
}

// nextElement goes to the next element of the array that was begun last. It is false at the array's
// end.
func (r *Reader) nextElement() bool {
	if r.where.open > len(r.frames) {
		r.place("")
	}
	if r.stopped() {
		r.pop()
		return false
	}
	f := &r.frames[len(r.frames)-1]
	c := r.peek()
	switch {
	case c == ']':
		r.pos++
		r.pop()
		return false
	case !f.begun:
		f.begun = true
		return true
	case c == ',':
		r.pos++
		f.index++
		return true
	}
	r.bad()
	r.pop()
	return false
}

// Bytes reads a base64 string, or an array of numbers.
func (r *Reader) Bytes(out *[]byte) {
	ReadBytes(r, out, "[]uint8", func(r *Reader, b *byte) { ReadInt(r, b, "uint8") })
}

// ReadBytes reads a base64 string, or an array, into a slice of bytes of any type; read reads an
// element of an array.
func ReadBytes[S ~[]B, B ~uint8](r *Reader, out *S, typ string, read func(*Reader, *B)) {
	if r.peek() != '"' {
		ReadSlice(r, out, typ, read)
		return
	}
	in := r.text().bytes()
	if r.stopped() {
		return
	}
	b := make([]byte, base64.StdEncoding.DecodedLen(len(in)))
	n, err := base64.StdEncoding.Decode(b, in)
	if err != nil {
		r.save(err)
		return
	}
	*out = fromBytes[S](b[:n])
}
