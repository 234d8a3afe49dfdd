package json

// Types that are strings in JSON but something else in Go look at the string first, and take it
// only if it is what they know. If it is not, their own method reads it and says what is wrong.

// PeekString looks at the next value: if it is a string of ASCII without escapes, s is what it
// says, valid until data changes. Nothing is taken.
func (r *Reader) PeekString() (s string, ok bool) {
	if r.peek() != '"' {
		return "", false
	}
	end, escaped, wide := stringEnd(r.data, r.pos+1)
	if end < 0 || escaped || wide {
		return "", false
	}
	r.peeked = end
	return view(r.data[r.pos+1 : end]), true
}

// KeepString returns the string that PeekString saw, to be kept.
func (r *Reader) KeepString() string { return r.keep(r.data[r.pos+1 : r.peeked]) }

// TakeString takes the string that PeekString saw.
func (r *Reader) TakeString() { r.pos = r.peeked + 1 }

// TakeInt32 takes the next value if it is an integer that fits.
func (r *Reader) TakeInt32() (n int32, ok bool) {
	if c := r.peek(); c != '-' && !isDigit(c) {
		return 0, false
	}
	end := numberEnd(r.data, r.pos)
	if end < 0 {
		return 0, false
	}
	if n, ok = parseInteger[int32](view(r.data[r.pos:end])); ok {
		r.pos = end
	}
	return n, ok
}

// AtObject says whether the next value is an object, and takes nothing.
func (r *Reader) AtObject() bool { return r.peek() == '{' }

// Peek returns the first byte of the next value, which says of what kind it is, and takes nothing.
// It is 0 at the end of the data.
func (r *Reader) Peek() byte { return r.peek() }
