package json

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
)

// AppendMarshaler appends what a type's MarshalJSON returns, without white space and with HTML signs escaped. typ is
// the type as reflect prints it.
func AppendMarshaler(dst []byte, in json.Marshaler, typ string) ([]byte, error) {
	data, err := in.MarshalJSON()
	if err == nil {
		dst, err = AppendCompact(dst, data)
	}
	if err != nil {
		return dst, &MarshalerError{typ, "MarshalJSON", err}
	}
	return dst, nil
}

// AppendTextMarshaler appends what a type's MarshalText returns, as a string.
func AppendTextMarshaler(dst []byte, in encoding.TextMarshaler, typ string) ([]byte, error) {
	text, err := in.MarshalText()
	if err != nil {
		return dst, &MarshalerError{typ, "MarshalText", err}
	}
	return AppendString(dst, view(text)), nil
}

// AppendCompact appends a JSON value without white space and with HTML signs escaped. It is an error if data is not
// exactly one value.
func AppendCompact(dst, data []byte) ([]byte, error) {
	end, _ := valueEnd(data, 0, maxDepth, nil)
	if end < 0 || spaceEnd(data, end) < len(data) {
		var all json.RawMessage
		return dst, json.Unmarshal(data, &all)
	}
	start := 0
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case !altered[c]:
			continue
		case c == '"': // the characters of a string stay
			dst = append(dst, data[start:i]...)
			next, _, _ := stringEnd(data, i+1)
			dst = appendHTML(dst, data[i:next+1])
			i = next
		default: // white space
			dst = append(dst, data[start:i]...)
		}
		start = i + 1
	}
	return append(dst, data[start:]...), nil
}

// altered are the bytes at which compacting has something to do.
var altered = [256]bool{' ': true, '\n': true, '\r': true, '\t': true, '"': true}

// appendHTML appends a string literal with HTML signs and the two separators escaped.
func appendHTML(dst, literal []byte) []byte {
	start := 0
	for i, c := range literal {
		switch {
		case c == '<' || c == '>' || c == '&':
			dst = append(dst, literal[start:i]...)
			dst = appendEscape(dst, rune(c))
			start = i + 1
		case c == 0xE2 && (bytes.HasPrefix(literal[i:], separators[0]) || bytes.HasPrefix(literal[i:], separators[1])):
			dst = append(dst, literal[start:i]...)
			dst = appendEscape(dst, 0x2000|rune(literal[i+2]&0x3f))
			start = i + 3
		}
	}
	return append(dst, literal[start:]...)
}

var separators = [2][]byte{[]byte("\u2028"), []byte("\u2029")}

// AppendRawMessage appends JSON that is there already, as AppendMarshaler does.
func AppendRawMessage(dst []byte, in *json.RawMessage) ([]byte, error) {
	return AppendMarshaler(dst, in, "json.RawMessage")
}

// AppendAny appends a value whose type is known at run time only.
func AppendAny(dst []byte, in any) ([]byte, error) {
	switch v := in.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return AppendString(dst, v), nil
	case bool:
		return AppendBool(dst, v), nil
	case int64:
		return AppendInt(dst, v), nil
	case float64:
		return AppendFloat(dst, v)
	}
	data, err := json.Marshal(in)
	return append(dst, data...), err
}

// IsZero tells whether what in points to is the zero value of its type. It reflects: gen prints it only for types that
// can't be compared.
func IsZero(in any) bool { return reflect.ValueOf(in).Elem().IsZero() }
