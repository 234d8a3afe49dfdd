package json

import "errors"

// BeginObject begins a struct; typ is the type as reflect prints it, like "v1.Book". It is false if there is nothing
// to read: for a null, which changes nothing, and for a value of another kind, which is an error.
//
//	if !r.BeginObject("v1.Book") {
//		return
//	}
//	var seen uint64
//	for r.NextField() {
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
		r.push(frame{typ: typ, index: -1})
		return true
	case c == 'n':
		r.word("null")
	default:
		r.Mismatch(typ)
	}
	return false
}

// NextField goes to the next key of the object that was begun last, and reads it. It is false at the object's end.
// The value behind the key is then to be read.
func (r *Reader) NextField() bool {
	if r.stopped() {
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
		r.bad()
		return false
	}
	if c != '"' {
		r.bad()
		return false
	}
	f.name, f.inner, f.begun = r.text().view(), "", true
	if r.peek() != ':' {
		r.bad()
		return false
	}
	r.pos++
	return true
}

// Name is the key at hand. It is valid until the value behind it was read.
func (r *Reader) Name() string { return r.frames[len(r.frames)-1].name }

// Inside says that the field at hand is one of an embedded struct, and how one gets there: "TypeMeta", "A.B".
func (r *Reader) Inside(path string) { r.frames[len(r.frames)-1].inner = path }

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

// Unreachable passes over the value at hand, which is inside of an embedded pointer that is nil and, its type being
// unexported, is not set: that is an error. typ is the type that it points to, as reflect prints it.
func (r *Reader) Unreachable(typ string) {
	r.save(errors.New("json: cannot set embedded pointer to unexported struct: " + typ))
	r.skip()
}
