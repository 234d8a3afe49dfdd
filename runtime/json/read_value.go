package json

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"unsafe"
)

// Pointer prepares a pointer for a value that is to be read into what it points to. It returns
// false for a null, and makes the pointer nil. Else there is something that it points to.
func Pointer[P ~*T, T any](r *Reader, p *P) bool {
	if r.Null() {
		if !r.stopped() {
			*p = nil
		}
		return false
	}
	if *p == nil {
		*p = new(T)
		r.take(unsafe.Sizeof(**p))
	}
	return true
}

// ReadStringPointer reads a string of any type into what a pointer points to, as Pointer prepares
// it; typ is that type as reflect prints it.
func ReadStringPointer[P ~*T, T ~string](r *Reader, p *P, typ string) {
	if Pointer(r, p) {
		ReadString(r, *p, typ)
	}
}

// StringPointer reads a string into what a pointer points to, as Pointer prepares it.
func (r *Reader) StringPointer(out **string) {
	if Pointer(r, out) {
		r.String(*out)
	}
}

// BoolPointer reads a bool into what a pointer points to, as Pointer prepares it.
func (r *Reader) BoolPointer(out **bool) {
	if Pointer(r, out) {
		r.Bool(*out)
	}
}

// Int32Pointer reads an int32 into what a pointer points to, as Pointer prepares it.
func (r *Reader) Int32Pointer(out **int32) {
	if Pointer(r, out) {
		r.Int32(*out)
	}
}

// Int64Pointer reads an int64 into what a pointer points to, as Pointer prepares it.
func (r *Reader) Int64Pointer(out **int64) {
	if Pointer(r, out) {
		r.Int64(*out)
	}
}

// Unmarshal lets a type read itself, also a null. What it says ends the reading.
func (r *Reader) Unmarshal(out json.Unmarshaler) {
	raw := r.Raw()
	if !r.pass(reflect.TypeOf(out), raw) {
		return
	}
	if err := out.UnmarshalJSON(raw); err != nil {
		r.Fail(err)
	}
}

// UnmarshalText lets a type read itself from a string; typ is the type as reflect prints it. A null
// changes nothing.
func (r *Reader) UnmarshalText(out encoding.TextUnmarshaler, typ string) {
	if r.peek() != '"' {
		r.other(typ)
		return
	}
	start := r.pos
	text := r.text().bytes()
	if !r.pass(reflect.TypeOf(out), r.data[start:r.pos]) {
		return
	}
	if err := out.UnmarshalText(text); err != nil {
		r.Fail(err)
	}
}

// RawMessage copies the bytes of a value.
func (r *Reader) RawMessage(out *json.RawMessage) { r.Unmarshal(out) }

// Any reads a value of any kind: a string, bool, int64 (for a number without fraction and exponent
// that fits), float64, map[string]any, []any or nil. What was there is replaced.
func (r *Reader) Any(out *any) {
	if v := r.any(); !r.stopped() {
		*out = v
	}
}

// Dynamic passes over a value that is for an interface with methods; typ is the type as reflect
// prints it. No value fits one.
func (r *Reader) Dynamic(typ string) {
	if kindOf(r.peek()) == "number" {
		r.anyNumber() // one that is out of range is another error
		r.save(&TypeError{Value: "number", Type: typ, Offset: int64(r.pos)})
		return
	}
	r.Mismatch(typ)
}

func (r *Reader) any() any {
	switch c := r.peek(); c {
	case '{':
		return r.anyMap()
	case '[':
		return r.anySlice()
	case '"':
		if t := r.text(); !r.stopped() {
			r.take(unsafe.Sizeof(""))
			return r.string(t)
		}
	case 't':
		return r.word("true")
	case 'f':
		return !r.word("false")
	case 'n':
		r.word("null")
	default:
		return r.anyNumber()
	}
	return nil
}

func (r *Reader) anyMap() any {
	r.pos++
	r.push(-1)
	m := map[string]any{}
	r.take(mapSize)
	for r.NextField("") {
		name := r.Name()
		if _, twice := m[name]; twice {
			r.report("duplicate field")
		}
		name = r.keepKey(name)
		m[name] = r.any()
		r.take(entrySize("", any(nil)))
	}
	return m
}

func (r *Reader) anySlice() any {
	r.beginArray("")
	s := []any{}
	for r.nextElement() {
		r.take(r.nextItemCost())
		value := r.any()
		if len(s) < cap(s) {
			s = append(s, value)
		} else if s = grow(r, s); !r.stopped() {
			s[len(s)-1] = value
		}
	}
	return s
}

func (r *Reader) anyNumber() any {
	start := r.pos
	literal := r.number()
	if r.stopped() {
		return nil
	}
	s := string(literal)
	r.take(unsafe.Sizeof(0))
	if !strings.Contains(s, ".") {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		r.save(&TypeError{Value: "number " + s, Type: "float64", Offset: int64(start)})
		return nil
	}
	return f
}
