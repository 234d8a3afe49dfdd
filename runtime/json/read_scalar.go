package json

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unsafe"
)

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type float interface{ ~float32 | ~float64 }

// String reads a string.
func (r *Reader) String(out *string) { ReadString(r, out, "string") }

// ReadString reads a string of a named type; typ is the type as reflect prints it. A null changes
// nothing.
func ReadString[T ~string](r *Reader, out *T, typ string) {
	if r.peek() != '"' {
		r.other(typ)
		return
	}
	if start, end, ok := r.plain(); ok {
		*out = T(r.keep(r.data[start:end]))
		return
	}
	if t := r.text(); !r.stopped() {
		*out = T(r.string(t))
	}
}

// Bool reads true or false.
func (r *Reader) Bool(out *bool) { ReadBool(r, out, "bool") }

// ReadBool reads true or false into a named type.
func ReadBool[T ~bool](r *Reader, out *T, typ string) {
	switch r.peek() {
	case 't':
		if r.word("true") {
			*out = true
		}
	case 'f':
		if r.word("false") {
			*out = false
		}
	default:
		r.other(typ)
	}
}

// Int32 reads an integer.
func (r *Reader) Int32(out *int32) { ReadInt(r, out, "int32") }

// Int64 reads an integer.
func (r *Reader) Int64(out *int64) { ReadInt(r, out, "int64") }

// ReadInt reads an integer of any type. One that has a fraction or an exponent, or does not fit, is
// an error.
func ReadInt[T integer](r *Reader, out *T, typ string) {
	if c := r.peek(); c != '-' && !isDigit(c) {
		r.other(typ)
		return
	}
	start := r.pos
	literal := r.number()
	if r.stopped() {
		return
	}
	n, ok := parseInteger[T](view(literal))
	if !ok {
		r.save(&TypeError{Value: "number " + string(literal), Type: typ, Offset: int64(start)})
		return
	}
	*out = n
}

// parseInteger is strconv's ParseInt or ParseUint in base 10, and ok only if the number fits.
func parseInteger[T integer](s string) (T, bool) {
	if len(s) > 0 && len(s) <= 9 && isDigit(s[0]) {
		n := uint32(0)
		for i := range len(s) {
			if !isDigit(s[i]) {
				return 0, false
			}
			n = n*10 + uint32(s[i]-'0')
		}
		t := T(n)
		return t, t >= 0 && uint64(t) == uint64(n)
	}
	if T(0)-1 < 0 {
		n, err := strconv.ParseInt(s, 10, 64)
		return T(n), err == nil && int64(T(n)) == n
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return T(n), err == nil && uint64(T(n)) == n
}

// Float64 reads a number.
func (r *Reader) Float64(out *float64) { ReadFloat(r, out, "float64") }

// ReadFloat reads a number of either type.
func ReadFloat[T float](r *Reader, out *T, typ string) {
	if c := r.peek(); c != '-' && !isDigit(c) {
		r.other(typ)
		return
	}
	start := r.pos
	literal := r.number()
	if r.stopped() {
		return
	}
	n, err := strconv.ParseFloat(view(literal), int(unsafe.Sizeof(*out))*8)
	if err != nil {
		r.save(&TypeError{Value: "number " + string(literal), Type: typ, Offset: int64(start)})
		return
	}
	*out = T(n)
}

// Number reads a number, or a string that is one.
func (r *Reader) Number(out *json.Number) {
	switch c := r.peek(); {
	case c == '-' || isDigit(c):
		if literal := r.number(); !r.stopped() {
			*out = json.Number(r.keep(literal))
		}
	case c == '"':
		start := r.pos
		t := r.text()
		if r.stopped() {
			return
		}
		s := r.string(t)
		if !validNumber(s) {
			r.Fail(fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", r.data[start:r.pos]))
			return
		}
		*out = json.Number(s)
	default:
		r.other("json.Number")
	}
}

func validNumber(s string) bool {
	b := []byte(s)
	return len(b) > 0 && numberEnd(b, 0) == len(b)
}

// other takes a value that is not of the kind that is wanted: null is all right.
func (r *Reader) other(typ string) {
	if r.peek() == 'n' {
		r.word("null")
		return
	}
	r.Mismatch(typ)
}

// fromBytes is a slice of bytes as one of another byte type.
func fromBytes[S ~[]B, B ~uint8](b []byte) S {
	return S(unsafe.Slice((*B)(unsafe.Pointer(unsafe.SliceData(b))), len(b)))
}
