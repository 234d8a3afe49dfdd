package protobuf

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
)

// What a message can be wrong about; io.ErrUnexpectedEOF says that it ends too early.
var (
	ErrInvalidLength        = errors.New("proto: negative length found during unmarshaling")
	ErrIntOverflow          = errors.New("proto: integer overflow")
	ErrUnexpectedEndOfGroup = errors.New("proto: unexpected end of group")
)

// maxDepth is how deep messages may stand in one another that can hold themselves.
const maxDepth = 10000

// ErrDepth is what input with more than that gets.
var ErrDepth = errors.New("proto: exceeded maximum recursion depth")

// The wire types: how the value after a tag is written.
const (
	wireVarint     = 0
	wireFixed64    = 1
	wireBytes      = 2
	wireStartGroup = 3
	wireEndGroup   = 4
	wireFixed32    = 5
)

// SizeVarint is how many bytes v takes as a varint.
func SizeVarint(v uint64) int {
	return int((9*uint(bits.Len64(v)) + 64) / 64)
}

// SizeBytes is how many bytes a string, a []byte or a message of n bytes takes with its length
// before it.
func SizeBytes(n int) int {
	return n + SizeVarint(uint64(n))
}

// encodeVarint writes v so that it ends before data[i], and returns where it starts.
func encodeVarint(data []byte, i int, v uint64) int {
	if v < 0x80 {
		i--
		data[i] = byte(v)
		return i
	}
	i -= SizeVarint(v)
	start := i
	for v >= 0x80 {
		data[i] = byte(v) | 0x80
		v >>= 7
		i++
	}
	data[i] = byte(v)
	return start
}

// SortedKeys appends the keys of m to keys and sorts them: a message has one form only.
func SortedKeys[K cmp.Ordered, V any](keys []K, m map[K]V) []K {
	for k := range m {
		keys = append(keys, k)
	}
	if len(keys) > 1 {
		slices.Sort(keys)
	}
	return keys
}

// readVarint reads the varint at data[i] and returns it and what comes after it.
func readVarint(data []byte, i int) (v uint64, next int, err error) {
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
	return 0, 0, ErrIntOverflow
}

// readBytes reads the length at data[i] and the bytes after it, which stay a part of data.
func readBytes(data []byte, i int) (body []byte, next int, err error) {
	size, start, err := lengthAt(data, i)
	if err != nil {
		return nil, 0, err
	}
	next = start + size
	if next > len(data) {
		return nil, 0, io.ErrUnexpectedEOF
	}
	return data[start:next], next, nil
}

// lengthAt reads the length at data[i] and returns it and what comes after it. Their sum is an int.
func lengthAt(data []byte, i int) (size, next int, err error) {
	v, next, err := readVarint(data, i)
	if err != nil {
		return 0, 0, err
	}
	if v > uint64(math.MaxInt-next) {
		return 0, 0, ErrInvalidLength
	}
	return int(v), next, nil
}

// skipField is how long the field is that data starts with. A group is passed over with all it
// holds.
func skipField(data []byte) (n int, err error) {
	for depth := 0; n < len(data); {
		tag, next, err := readVarint(data, n)
		if err != nil {
			return 0, err
		}
		n = next
		switch wire := int(tag & 7); wire {
		case wireVarint:
			if _, n, err = readVarint(data, n); err != nil {
				return 0, err
			}
		case wireFixed64:
			n += 8
		case wireBytes:
			if _, n, err = readBytes(data, n); err != nil {
				return 0, err
			}
		case wireStartGroup:
			depth++
		case wireEndGroup:
			if depth == 0 {
				return 0, ErrUnexpectedEndOfGroup
			}
			depth--
		case wireFixed32:
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
