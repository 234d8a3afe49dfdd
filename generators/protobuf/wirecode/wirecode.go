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
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
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

// sortedKeysGenerated appends the keys of m to keys and sorts them: a message has one form only.
func sortedKeysGenerated[K cmp.Ordered, V any](keys []K, m map[K]V) []K {
	for k := range m {
		keys = append(keys, k)
	}
	if len(keys) > 1 {
		slices.Sort(keys)
	}
	return keys
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
	size, start, err := sizeOfGenerated(data, i)
	if err != nil {
		return nil, 0, err
	}
	next = start + size
	if next > len(data) {
		return nil, 0, io.ErrUnexpectedEOF
	}
	return data[start:next], next, nil
}

// sizeOfGenerated reads the length at data[i] and returns it and what comes after it. Their sum is an int.
func sizeOfGenerated(data []byte, i int) (size, next int, err error) {
	v, next, err := readVarintGenerated(data, i)
	if err != nil {
		return 0, 0, err
	}
	if v > uint64(math.MaxInt-next) {
		return 0, 0, ErrInvalidLengthGenerated
	}
	return int(v), next, nil
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
