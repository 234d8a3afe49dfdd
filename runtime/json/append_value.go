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

// IsZero tells whether what in points to is the zero value of its type. It reflects: gen prints it
// only for types that can't be compared.
func IsZero(in any) bool { return reflect.ValueOf(in).Elem().IsZero() }
