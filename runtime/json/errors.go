package json

import (
	"errors"
	"strconv"
)

// TypeError is a value that does not fit the type that it is for. Its text is that of
// encoding/json's UnmarshalTypeError.
type TypeError struct {
	// Value describes the JSON value: "string", "number 5", "object".
	Value string
	// Type is the Go type, as reflect prints it.
	Type string
	// Struct is the innermost struct around the value, Field the path to it in Go's embedded and
	// JSON's names.
	Struct, Field string
	// Offset is where in the data the value begins.
	Offset int64
}

func (e *TypeError) Error() string {
	if e.Struct != "" || e.Field != "" {
		return "json: cannot unmarshal " + e.Value + " into Go struct field " + e.Struct + "." + e.Field + " of type " + e.Type
	}
	return "json: cannot unmarshal " + e.Value + " into Go value of type " + e.Type
}

// FieldError is a field that is unknown or there twice. It is a FieldError of sigs.k8s.io/json.
type FieldError struct {
	what, path string
}

func (e *FieldError) Error() string { return e.what + " " + strconv.Quote(e.path) }

// FieldPath returns the path of the field, like "spec.items[0].name".
func (e *FieldError) FieldPath() string { return e.path }

// SetFieldPath changes the path in the text.
func (e *FieldError) SetFieldPath(path string) { e.path = path }

// MarshalerError is an error of a hand-written MarshalJSON or MarshalText. Its text is that of
// encoding/json's.
type MarshalerError struct {
	// Type is the Go type, as reflect prints it, Method the method's name.
	Type, Method string
	Err          error
}

func (e *MarshalerError) Error() string {
	return "json: error calling " + e.Method + " for type " + e.Type + ": " + e.Err.Error()
}

// Unwrap returns what the method said.
func (e *MarshalerError) Unwrap() error { return e.Err }

// Mismatch passes over the next value and says that it does not fit a type. A null fits all.
func (r *Reader) Mismatch(typ string) {
	if value := kindOf(r.peek()); value != "" {
		r.save(&TypeError{Value: value, Type: typ, Offset: int64(r.pos)})
	}
	r.skip()
}

// kindOf names a value by its first byte; "" for null and for what is none.
func kindOf(c byte) string {
	switch c {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return "number"
	}
	return ""
}

const (
	// maxStrict is how many strict errors are remembered.
	maxStrict = 100
	// maxStrictText is about how many bytes their texts have: a path may be as long as all the
	// data.
	maxStrictText = 64 << 10
)

// report remembers a strict error about the key at hand.
func (r *Reader) report(what string) {
	if len(r.strict) >= maxStrict || r.strictText > maxStrictText || r.stopped() {
		return
	}
	err := &FieldError{what, r.path()}
	text := what + err.path
	if r.reported[text] {
		return
	}
	if r.reported == nil {
		r.reported = map[string]bool{}
	}
	r.reported[text] = true
	r.strictText += len(text)
	r.strict = append(r.strict, err)
}

// path is where the key at hand is: keys joined with dots, indexes in brackets.
func (r *Reader) path() string {
	var b []byte
	for i := range r.frames {
		f := &r.frames[i]
		if f.index >= 0 {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(f.index), 10)
			b = append(b, ']')
			continue
		}
		if i > 0 {
			b = append(b, '.')
		}
		b = append(b, r.nameOf(f)...)
	}
	return string(b)
}

// invalidString is the error about a value of a field with the option "string".
func invalidString(item, typ string) error {
	return errors.New("json: invalid use of ,string struct tag, trying to unmarshal " + strconv.Quote(item) + " into " + typ)
}
