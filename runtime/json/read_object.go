package json

import (
	"errors"
	"strings"
)

// BeginObject begins a struct; typ is the type as reflect prints it, like "v1.Book". It is false if
// there is nothing to read: for a null, which changes nothing, and for a value of another kind,
// which is an error.
//
//	if !r.BeginObject("v1.Book") {
//		return
//	}
//	var seen uint64
//	for r.NextField("v1.Book") {
//		switch r.Name() {
//		case "title":
//			r.Once(&seen, 0)
//			r.String(&out.Title)
//		default:
//			r.Unknown()
//		}
//	}
func (r *Reader) BeginObject(typ string) bool {
	switch c := r.peek(); {
	case c == '{':
		r.pos++
		r.push(-1)
		return true
	case c == 'n':
		r.word("null")
	default:
		r.Mismatch(typ)
	}
	return false
}

// NextField goes to the next key of the object that was begun last, and reads it. It is false at
// the object's end. The value behind the key is then to be read. typ is the type of a struct, ""
// for a map.
func (r *Reader) NextField(typ string) bool {
	if r.where.open > len(r.frames) {
		r.place(typ)
	}
	if r.stopped() {
		r.pop()
		return false
	}
	f := &r.frames[len(r.frames)-1]
	c := r.peek()
	switch {
	case c == ',' && f.begun:
		r.pos++
		c = r.peek()
	case c == '}':
		r.pos++
		r.pop()
		return false
	case f.begun:
		c = 0
	}
	if c != '"' {
		r.bad()
		r.pop()
		return false
	}
	f.begun = true
	if start, end, ok := r.plain(); ok {
		f.name, f.nameEnd, f.odd = start, end, false
	} else {
		r.oddName(f)
	}
	if r.peek() != ':' {
		r.bad()
		r.pop()
		return false
	}
	r.pos++
	return true
}

// oddName reads a key that is not plain.
func (r *Reader) oddName(f *frame) {
	f.name = r.pos + 1
	t := r.text()
	f.nameEnd, f.odd = r.pos-1, t.escaped || t.wide
	if f.odd {
		f.name = len(r.odd)
		r.odd = append(r.odd, t.bytes()...)
		f.nameEnd = len(r.odd)
	}
}

// Name is the key at hand. It is valid until the value behind it was read.
func (r *Reader) Name() string { return r.nameOf(&r.frames[len(r.frames)-1]) }

// Key is Name as a string that stays: it shares memory with the data if the Reader is Shared.
func (r *Reader) Key() string {
	f := &r.frames[len(r.frames)-1]
	if r.shared && !f.odd {
		return r.nameOf(f)
	}
	return strings.Clone(r.nameOf(f))
}

func (r *Reader) nameOf(f *frame) string {
	if f.odd {
		return view(r.odd[f.name:f.nameEnd])
	}
	return view(r.data[f.name:f.nameEnd])
}

// Inside says that the field that was just read is one of an embedded struct, and how one gets
// there: "TypeMeta".
func (r *Reader) Inside(path string) {
	if r.where.open > len(r.frames) {
		r.where.inner = path
	}
}

// Once reports that the key at hand is there twice if its bit in seen is set, and sets it.
func (r *Reader) Once(seen *uint64, bit uint) {
	if *seen&(1<<bit) != 0 {
		r.report("duplicate field")
	}
	*seen |= 1 << bit
}

// Unknown reports that the key at hand is unknown, and passes over its value.
func (r *Reader) Unknown() {
	r.report("unknown field")
	r.skip()
}

// Unreachable passes over the value at hand, which is inside of an embedded pointer that is nil
// and, its type being unexported, is not set: that is an error. typ is the type that it points to,
// as reflect prints it.
func (r *Reader) Unreachable(typ string) {
	r.save(errors.New("json: cannot set embedded pointer to unexported struct: " + typ))
	r.skip()
}
