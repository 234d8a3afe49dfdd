package wire

import (
	"bytes"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// eachField calls f for the fields of one message, in order. val is the content of a
// length-delimited field and the raw bytes of the value for any other; it points into data.
func eachField(data []byte, f func(num protowire.Number, typ protowire.Type, val []byte) error) error {
	for len(data) > 0 {
		num, typ, val, size, err := nextField(data)
		if err != nil {
			return err
		}
		if err := f(num, typ, val); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// EachField calls f for the fields of one message, in order, until it returns false. body is the
// content of a length-delimited field, and the raw bytes of the value for any other; it points into
// message. What can't be read ends it, too.
func EachField(message []byte, f func(number int32, body []byte) bool) {
	for len(message) > 0 {
		number, _, body, size, err := nextField(message)
		if err != nil || !f(int32(number), body) {
			return
		}
		message = message[size:]
	}
}

// NextField reads the first field of a message, and returns what follows it. body is as EachField
// has it.
func NextField(message []byte) (number int32, body, rest []byte, err error) {
	n, _, body, size, err := nextField(message)
	if err != nil {
		return 0, nil, nil, err
	}
	return int32(n), body, message[size:], nil
}

// nextField reads the first field of data. size is the length of tag and value.
func nextField(data []byte) (num protowire.Number, typ protowire.Type, val []byte, size int, err error) {
	// Nearly all fields are short strings with a low number.
	if len(data) > 1 && data[0] >= 1<<3 && data[0] < 0x80 && data[0]&7 == byte(protowire.BytesType) && int(data[1]) <= len(data)-2 && data[1] < 0x80 {
		size = 2 + int(data[1])
		return protowire.Number(data[0] >> 3), protowire.BytesType, data[2:size], size, nil
	}
	num, typ, n := protowire.ConsumeTag(data)
	if n < 0 {
		return 0, 0, nil, 0, protowire.ParseError(n)
	}
	switch typ {
	case protowire.BytesType:
		v, m := protowire.ConsumeBytes(data[n:])
		if m < 0 {
			return 0, 0, nil, 0, fmt.Errorf("field %d: %w", num, protowire.ParseError(m))
		}
		return num, typ, v, n + m, nil
	case protowire.StartGroupType, protowire.EndGroupType:
		// No Kubernetes message has groups, and skipping them would recurse.
		return 0, 0, nil, 0, fmt.Errorf("field %d: groups are not supported", num)
	default:
		m := protowire.ConsumeFieldValue(num, typ, data[n:])
		if m < 0 {
			return 0, 0, nil, 0, fmt.Errorf("field %d: %w", num, protowire.ParseError(m))
		}
		return num, typ, data[n : n+m], n + m, nil
	}
}

// AppendBytesField appends a field of a message that is a string, bytes or a message itself.
func AppendBytesField(dst []byte, number int32, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, protowire.Number(number), protowire.BytesType), body)
}

// AppendWithout appends the canonical value without some fields of the object.
func AppendWithout(dst, value []byte, without ...int32) ([]byte, error) {
	envelope, err := ParseEnvelope(value)
	if err != nil {
		return nil, err
	}
	var raw []byte
	for rest := envelope.Raw; len(rest) > 0; {
		num, _, _, size, err := nextField(rest)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(without, int32(num)) {
			raw = append(raw, rest[:size]...)
		}
		rest = rest[size:]
	}
	return AppendEnvelope(dst, string(envelope.APIVersion), string(envelope.Kind), raw), nil
}

// EqualExcept says whether two messages have the same fields in the same order with the same bytes,
// leaving out the fields with the numbers in except. For messages that the same generated code
// wrote that is equality of content.
func EqualExcept(a, b []byte, except ...int32) (bool, error) {
	for {
		fa, resta, err := nextExcept(a, except)
		if err != nil {
			return false, err
		}
		fb, restb, err := nextExcept(b, except)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(fa, fb) {
			return false, nil
		}
		if fa == nil {
			return true, nil
		}
		a, b = resta, restb
	}
}

// nextExcept returns the bytes of the first field that is not in except (nil at the end), and what
// follows it.
func nextExcept(data []byte, except []int32) (field, rest []byte, err error) {
next:
	for len(data) > 0 {
		num, _, _, size, err := nextField(data)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range except {
			if int32(num) == e {
				data = data[size:]
				continue next
			}
		}
		return data[:size], data[size:], nil
	}
	return nil, nil, nil
}

// FirstDifference returns the number of the first field in which two messages of one type differ:
// the one with another value, or that only one of them has. 0 says that they are the same.
func FirstDifference(a, b []byte) (int32, error) {
	for len(a) > 0 || len(b) > 0 {
		fa, resta, err := nextExcept(a, nil)
		if err != nil {
			return 0, err
		}
		fb, restb, err := nextExcept(b, nil)
		if err != nil {
			return 0, err
		}
		if bytes.Equal(fa, fb) {
			a, b = resta, restb
			continue
		}
		return min(number(fa), number(fb)), nil
	}
	return 0, nil
}

// number is the field number of an encoded field, or the highest there is for none.
func number(field []byte) int32 {
	num, _, n := protowire.ConsumeTag(field)
	if n < 0 {
		return int32(protowire.MaxValidNumber)
	}
	return int32(num)
}
