package json

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// AppendMarshaler appends what a type's MarshalJSON returns, without white space and with HTML
// signs escaped. typ is the type as reflect prints it.
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

// AppendRawMessage appends JSON that is there already, as AppendMarshaler does.
func AppendRawMessage(dst []byte, in *json.RawMessage) ([]byte, error) {
	return AppendMarshaler(dst, in, "json.RawMessage")
}

// plainDepth is how deep a value may be until encoding/json appends it, which finds cycles.
const plainDepth = 1000

// AppendAny appends a value whose type is known at run time only.
func AppendAny(dst []byte, in any) ([]byte, error) { return appendAny(dst, in, 0) }

func appendAny(dst []byte, in any, depth int) ([]byte, error) {
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
	case map[string]any:
		if v != nil && depth < plainDepth {
			return appendAnyMap(dst, v, depth+1)
		}
	case []any:
		if v != nil && depth < plainDepth {
			return appendAnySlice(dst, v, depth+1)
		}
	}
	data, err := json.Marshal(in)
	return append(dst, data...), err
}

func appendAnyMap(dst []byte, m map[string]any, depth int) (_ []byte, err error) {
	start := len(dst)
	var room [maxSorted]string
	for _, key := range sortedKeys(m, room[:0]) {
		if dst, err = appendAny(AppendKey(dst, key), m[key], depth); err != nil {
			return dst, err
		}
	}
	return Close(dst, start), nil
}

func appendAnySlice(dst []byte, s []any, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, item := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendAny(dst, item, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// IsZero tells whether what in points to is the zero value of its type. It reflects: gen prints it
// only for types that can't be compared.
func IsZero(in any) bool { return reflect.ValueOf(in).Elem().IsZero() }
