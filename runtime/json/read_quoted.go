package json

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"unsafe"
)

// Quoted takes the value of a field with the option "string": a string that has the value inside.
// It is false if there is nothing to read, which is an error unless the value is null. A null makes
// a pointer nil; the caller does that. typ is the type of the field, also in the functions below
// that read the inside, as reflect prints it.
func (r *Reader) Quoted(typ string) (inside string, ok bool) {
	switch r.peek() {
	case 'n':
		r.word("null")
	case '"':
		t := r.text()
		if r.stopped() {
			return "", false
		}
		if inside = string(t.bytes()); inside != "" {
			return inside, true
		}
		r.save(invalidString(inside, typ))
	case '{', '[', 't', 'f':
		r.skip()
		r.save(unquoted(typ))
	default:
		r.anyNumber() // one that is out of range is another error
		r.save(unquoted(typ))
	}
	return "", false
}

func unquoted(typ string) error {
	return errors.New("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into " + typ)
}

// QuotedPointer is Pointer for the inside of a quoted value; typ is the type of the pointer.
func QuotedPointer[P ~*T, T any](r *Reader, inside string, p *P, typ string) bool {
	if inside[0] == 'n' {
		if r.quotedNull(inside, typ) {
			*p = nil
		}
		return false
	}
	if *p == nil {
		*p = new(T)
	}
	return true
}

// QuotedInt reads the inside of a quoted integer.
func QuotedInt[T integer](r *Reader, inside string, out *T, typ string) {
	if !r.quotedNumber(inside, typ) {
		return
	}
	n, ok := parseInteger[T](inside)
	if !ok {
		r.save(&TypeError{Value: "number " + inside, Type: typ, Offset: int64(r.pos)})
		return
	}
	*out = n
}

// QuotedFloat reads the inside of a quoted floating point number.
func QuotedFloat[T float](r *Reader, inside string, out *T, typ string) {
	if !r.quotedNumber(inside, typ) {
		return
	}
	n, err := strconv.ParseFloat(inside, int(unsafe.Sizeof(*out))*8)
	if err != nil {
		r.save(&TypeError{Value: "number " + inside, Type: typ, Offset: int64(r.pos)})
		return
	}
	*out = T(n)
}

// quotedNumber tells whether the inside of a quoted number may be one.
func (r *Reader) quotedNumber(inside, typ string) bool {
	switch c := inside[0]; {
	case c == '-' || isDigit(c):
		return true
	case c == 'n':
		r.quotedNull(inside, typ)
	case c == 't' || c == 'f':
		r.save(invalidString(inside, typ))
	case c == '"':
		if _, ok := r.quotedText(inside, typ); ok {
			r.save(&TypeError{Value: "string", Type: typ, Offset: int64(r.pos)})
		}
	default:
		r.Fail(invalidString(inside, typ))
	}
	return false
}

// QuotedBool reads the inside of a quoted bool.
func QuotedBool[T ~bool](r *Reader, inside string, out *T, typ string) {
	switch c := inside[0]; {
	case inside == "true" || inside == "false":
		*out = inside == "true"
	case c == 't' || c == 'f':
		r.save(invalidString(inside, typ))
	case c == 'n':
		r.quotedNull(inside, typ)
	case c == '"':
		if _, ok := r.quotedText(inside, typ); ok {
			r.save(&TypeError{Value: "string", Type: typ, Offset: int64(r.pos)})
		}
	default:
		r.Fail(invalidString(inside, typ))
	}
}

// QuotedString reads the inside of a quoted string, which is a string literal.
func QuotedString[T ~string](r *Reader, inside string, out *T, typ string) {
	switch inside[0] {
	case '"':
		if s, ok := r.quotedText(inside, typ); ok {
			*out = T(s)
		}
	case 'n':
		r.quotedNull(inside, typ)
	case 't', 'f':
		r.save(invalidString(inside, typ))
	default:
		r.Fail(invalidString(inside, typ))
	}
}

// QuotedNumber reads the inside of a quoted json.Number: a number or a string literal.
func QuotedNumber(r *Reader, inside string, out *json.Number, typ string) {
	switch c := inside[0]; {
	case c == '-' || isDigit(c):
		*out = json.Number(inside)
	case c == '"':
		s, ok := r.quotedText(inside, typ)
		if ok && !validNumber(s) {
			r.Fail(fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", inside))
		} else if ok {
			*out = json.Number(s)
		}
	default:
		QuotedString(r, inside, out, typ)
	}
}

// QuotedUnmarshal lets a type read itself from the inside of a quoted value.
func (r *Reader) QuotedUnmarshal(inside string, out json.Unmarshaler) {
	if !r.pass(reflect.TypeOf(out), []byte(inside)) {
		return
	}
	if err := out.UnmarshalJSON([]byte(inside)); err != nil {
		r.Fail(err)
	}
}

// QuotedUnmarshalText lets a type read itself from the text of the string literal inside of a
// quoted value.
func (r *Reader) QuotedUnmarshalText(inside string, out encoding.TextUnmarshaler, typ string) {
	switch inside[0] {
	case 'n':
		r.quotedNull(inside, typ)
	case '"':
		if s, ok := r.quotedText(inside, typ); ok {
			if !r.pass(reflect.TypeOf(out), []byte(inside)) {
				return
			}
			if err := out.UnmarshalText([]byte(s)); err != nil {
				r.Fail(err)
			}
		}
	default:
		r.save(invalidString(inside, typ))
	}
}

// quotedNull tells whether the inside that begins with an n is null.
func (r *Reader) quotedNull(inside, typ string) bool {
	if inside != "null" {
		r.save(invalidString(inside, typ))
	}
	return inside == "null"
}

// quotedText reads a string literal inside of a string. As in encoding/json, \' is an escape there.
func (r *Reader) quotedText(inside, typ string) (string, bool) {
	b := []byte(inside)
	if len(b) < 2 || b[len(b)-1] != '"' || !quotedSound(b[1:len(b)-1]) {
		r.Fail(invalidString(inside, typ))
		return "", false
	}
	return string(unescape(b[1 : len(b)-1])), true
}

func quotedSound(raw []byte) bool {
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"' || c < ' ':
			return false
		case c != '\\':
			i++
		case i+1 < len(raw) && raw[i+1] == '\'':
			i += 2
		default:
			n := escapeLen(raw[i:])
			if n == 0 {
				return false
			}
			i += n
		}
	}
	return true
}
