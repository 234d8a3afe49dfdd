// Package wirecode is what generated protobuf code leans on. It is ordinary Go, compiled and tested here, and never
// imported: the generator prints the functions that a package needs, with all they need in turn, at the end of its
// generated.pb.go, so that generated code imports nothing of this module.
//
// Names end in Generated because they live beside the user's own. Those that Kubernetes' generated code has too
// (encodeVarintGenerated, sovGenerated, skipGenerated, valueToStringGenerated and the errors) keep its signatures:
// hand-written Marshal methods call them.
//
//lint:file-ignore U1000 the functions are printed, not called
package wirecode

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
)

// What a message can be wrong about; io.ErrUnexpectedEOF says that it ends too early.
var (
	ErrInvalidLengthGenerated        = errors.New("proto: negative length found during unmarshaling")
	ErrIntOverflowGenerated          = errors.New("proto: integer overflow")
	ErrUnexpectedEndOfGroupGenerated = errors.New("proto: unexpected end of group")
)

// maxDepthGenerated is how deep messages may stand in one another that can hold themselves.
const maxDepthGenerated = 10000

// ErrDepthGenerated is what input with more than that gets.
var ErrDepthGenerated = errors.New("proto: exceeded maximum recursion depth")

// The wire types: how the value after a tag is written.
const (
	varintGenerated     = 0
	fixed64Generated    = 1
	bytesGenerated      = 2
	startGroupGenerated = 3
	endGroupGenerated   = 4
	fixed32Generated    = 5
)

// sovGenerated is how many bytes v takes as a varint.
func sovGenerated(v uint64) int {
	return int((9*uint(bits.Len64(v)) + 64) / 64)
}

// sizeGenerated is how many bytes a string, a []byte or a message of n bytes takes with its length before it.
func sizeGenerated(n int) int {
	return n + sovGenerated(uint64(n))
}

// encodeVarintGenerated writes v so that it ends before data[i], and returns where it starts.
func encodeVarintGenerated(data []byte, i int, v uint64) int {
	if v < 0x80 {
		i--
		data[i] = byte(v)
		return i
	}
	i -= sovGenerated(v)
	start := i
	for v >= 0x80 {
		data[i] = byte(v) | 0x80
		v >>= 7
		i++
	}
	data[i] = byte(v)
	return start
}

// putVarintGenerated writes a number and its tag before data[i], and returns where they start.
func putVarintGenerated(data []byte, i int, tag, v uint64) int {
	return encodeVarintGenerated(data, encodeVarintGenerated(data, i, v), tag)
}

// putBoolGenerated writes a bool and its tag before data[i], and returns where they start.
func putBoolGenerated(data []byte, i int, tag uint64, v bool) int {
	i--
	data[i] = 0
	if v {
		data[i] = 1
	}
	return encodeVarintGenerated(data, i, tag)
}

// putFloat64Generated writes v and its tag before data[i], and returns where they start.
func putFloat64Generated(data []byte, i int, tag uint64, v float64) int {
	i -= 8
	binary.LittleEndian.PutUint64(data[i:], math.Float64bits(v))
	return encodeVarintGenerated(data, i, tag)
}

// putFloat32Generated writes v and its tag before data[i], and returns where they start.
func putFloat32Generated(data []byte, i int, tag uint64, v float32) int {
	i -= 4
	binary.LittleEndian.PutUint32(data[i:], math.Float32bits(v))
	return encodeVarintGenerated(data, i, tag)
}

// putStringGenerated writes v, its length and its tag before data[i], and returns where they start.
func putStringGenerated(data []byte, i int, tag uint64, v string) int {
	if len(v) > 0 { // many fields of a typical object are empty
		i -= len(v)
		copy(data[i:], v)
	}
	if len(v) < 0x80 && tag < 0x80 {
		i -= 2
		data[i+1] = byte(len(v))
		data[i] = byte(tag)
		return i
	}
	return putLengthGenerated(data, i, tag, len(v))
}

// putBytesGenerated writes v, its length and its tag before data[i], and returns where they start.
func putBytesGenerated(data []byte, i int, tag uint64, v []byte) int {
	i -= len(v)
	copy(data[i:], v)
	return putLengthGenerated(data, i, tag, len(v))
}

// putLengthGenerated writes the tag and the length of the size bytes that start at data[i], and returns where the
// tag starts.
func putLengthGenerated(data []byte, i int, tag uint64, size int) int {
	if size < 0x80 && tag < 0x80 {
		i -= 2
		data[i+1] = byte(size)
		data[i] = byte(tag)
		return i
	}
	return encodeVarintGenerated(data, encodeVarintGenerated(data, i, uint64(size)), tag)
}

// sortedKeysGenerated appends the keys of m to keys and sorts them: a message has one form only.
func sortedKeysGenerated[K cmp.Ordered, V any](keys []K, m map[K]V) []K {
	keys = slices.Grow(keys, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	if len(keys) > 1 {
		slices.Sort(keys)
	}
	return keys
}

// fieldGenerated reads one field of a message: its number, how it is written, and its value, which is number for
// varint and fixed ones and body (a part of data) for those with a length. next is where the following field starts.
func fieldGenerated(message string, data []byte, i int) (field int32, wire int, number uint64, body []byte, next int, err error) {
	var tag uint64
	if i < len(data) && data[i] < 0x80 {
		tag, next = uint64(data[i]), i+1
	} else if tag, next, err = readVarintGenerated(data, i); err != nil {
		return 0, 0, 0, nil, 0, err
	}
	field, wire = int32(tag>>3), int(tag&7)
	if field <= 0 && wire != endGroupGenerated {
		return 0, 0, 0, nil, 0, fmt.Errorf("proto: %s: illegal tag %d (wire type %d)", message, field, tag)
	}
	switch wire {
	case bytesGenerated:
		if next < len(data) && int(data[next]) < min(0x80, len(data)-next) {
			start := next + 1
			next = start + int(data[next])
			return field, wire, 0, data[start:next], next, nil
		}
		body, next, err = readBytesGenerated(data, next)
	case varintGenerated:
		if next < len(data) && data[next] < 0x80 {
			return field, wire, uint64(data[next]), nil, next + 1, nil
		}
		number, next, err = readVarintGenerated(data, next)
	case fixed64Generated:
		if len(data)-next < 8 {
			return 0, 0, 0, nil, 0, io.ErrUnexpectedEOF
		}
		number, next = binary.LittleEndian.Uint64(data[next:]), next+8
	case fixed32Generated:
		if len(data)-next < 4 {
			return 0, 0, 0, nil, 0, io.ErrUnexpectedEOF
		}
		number, next = uint64(binary.LittleEndian.Uint32(data[next:])), next+4
	case endGroupGenerated:
		err = fmt.Errorf("proto: %s: wiretype end group for non-group", message)
	default:
		next, err = skipFromGenerated(data, i, len(data))
	}
	return field, wire, number, body, next, err
}

// readVarintGenerated reads the varint at data[i] and returns it and what comes after it.
func readVarintGenerated(data []byte, i int) (v uint64, next int, err error) {
	for shift := uint(0); shift < 64; shift += 7 {
		if i >= len(data) {
			return 0, 0, io.ErrUnexpectedEOF
		}
		b := data[i]
		i++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, i, nil
		}
	}
	return 0, 0, ErrIntOverflowGenerated
}

// readBytesGenerated reads the length at data[i] and the bytes after it, which stay a part of data.
func readBytesGenerated(data []byte, i int) (body []byte, next int, err error) {
	size, start, err := readVarintGenerated(data, i)
	if err != nil {
		return nil, 0, err
	}
	if size > uint64(math.MaxInt-start) {
		return nil, 0, ErrInvalidLengthGenerated
	}
	next = start + int(size)
	if next > len(data) {
		return nil, 0, io.ErrUnexpectedEOF
	}
	return data[start:next], next, nil
}

// skipFromGenerated passes over the field whose tag is at data[i] and returns what comes after it, at most end.
func skipFromGenerated(data []byte, i, end int) (next int, err error) {
	n, err := skipGenerated(data[i:])
	if err != nil {
		return 0, err
	}
	if n > end-i {
		return 0, io.ErrUnexpectedEOF
	}
	return i + n, nil
}

// skipGenerated is how long the field is that data starts with. A group is passed over with all it holds.
func skipGenerated(data []byte) (n int, err error) {
	for depth := 0; n < len(data); {
		tag, next, err := readVarintGenerated(data, n)
		if err != nil {
			return 0, err
		}
		n = next
		switch wire := int(tag & 7); wire {
		case varintGenerated:
			if _, n, err = readVarintGenerated(data, n); err != nil {
				return 0, err
			}
		case fixed64Generated:
			n += 8
		case bytesGenerated:
			if _, n, err = readBytesGenerated(data, n); err != nil {
				return 0, err
			}
		case startGroupGenerated:
			depth++
		case endGroupGenerated:
			if depth == 0 {
				return 0, ErrUnexpectedEndOfGroupGenerated
			}
			depth--
		case fixed32Generated:
			n += 4
		default:
			return 0, fmt.Errorf("proto: illegal wireType %d", wire)
		}
		if depth == 0 {
			return n, nil
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// wireErrorGenerated says that a field is not written as its type asks for.
func wireErrorGenerated(wire int, field string) error {
	return fmt.Errorf("proto: wrong wireType = %d for field %s", wire, field)
}

// growGenerated gives a list that has no room yet as much as it needs for one element and for those that follow
// right after it: data starts with the field after this one, and tag is the list's.
func growGenerated[T any](list []T, data []byte, tag uint64) []T {
	if cap(list) > 0 {
		return list
	}
	return make([]T, 0, 1+followingGenerated(data, tag))
}

// followingGenerated counts the fields that data starts with and that have this tag.
func followingGenerated(data []byte, tag uint64) (n int) {
	for i := 0; i < len(data); n++ {
		next, at, err := readVarintGenerated(data, i)
		if err != nil || next != tag {
			return n
		}
		if _, i, err = readBytesGenerated(data, at); err != nil {
			return n
		}
	}
	return n
}

// valueToStringGenerated is what may be nil: what a pointer points at, or bytes, after an asterisk.
func valueToStringGenerated(v any) string {
	value := reflect.ValueOf(v)
	if value.IsNil() {
		return "nil"
	}
	return fmt.Sprintf("*%v", reflect.Indirect(value).Interface())
}

// structToStringGenerated is the text of a message without the ampersand in front.
func structToStringGenerated(text string) string {
	return strings.Replace(text, "&", "", 1)
}

// listToStringGenerated is the text of a list of messages; name is the list's type, item makes the text of one.
func listToStringGenerated[T any](name string, list []T, item func(*T) string) string {
	var text strings.Builder
	text.WriteString(name + "{")
	for i := range list {
		text.WriteString(item(&list[i]) + ",")
	}
	return text.String() + "}"
}

// mapToStringGenerated is the text of a map, sorted by key; name is the map's type.
func mapToStringGenerated[K cmp.Ordered, V any](name string, m map[K]V) string {
	var text strings.Builder
	text.WriteString(name + "{")
	for _, k := range sortedKeysGenerated(nil, m) {
		fmt.Fprintf(&text, "%v: %v,", k, m[k])
	}
	return text.String() + "}"
}

// readNumberGenerated reads the number at data[i], which is written in the given way, and what comes after it.
func readNumberGenerated(data []byte, i, wire int) (number uint64, next int, err error) {
	switch wire {
	case fixed64Generated:
		if len(data)-i < 8 {
			return 0, 0, io.ErrUnexpectedEOF
		}
		return binary.LittleEndian.Uint64(data[i:]), i + 8, nil
	case fixed32Generated:
		if len(data)-i < 4 {
			return 0, 0, io.ErrUnexpectedEOF
		}
		return uint64(binary.LittleEndian.Uint32(data[i:])), i + 4, nil
	default:
		return readVarintGenerated(data, i)
	}
}

// entryGenerated reads one part of an entry of a map, which ends at end: 1 is the key, 2 the value; they are written
// as key and value say, whatever their tags say. Other parts are passed over.
func entryGenerated(data []byte, i, end, key, value int) (part int32, number uint64, body []byte, next int, err error) {
	tag, start, err := readVarintGenerated(data, i)
	if err != nil {
		return 0, 0, nil, 0, err
	}
	part = int32(tag >> 3)
	wire := key
	switch part {
	case 1:
	case 2:
		wire = value
	default:
		next, err = skipFromGenerated(data, i, end)
		return part, 0, nil, next, err
	}
	if wire == bytesGenerated {
		body, next, err = readBytesGenerated(data, start)
	} else {
		number, next, err = readNumberGenerated(data, start, wire)
	}
	return part, number, body, next, err
}
