//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"io"
	"unsafe"
)

// skip passes over the field that starts at start and stops before stop.
func (r *readerGenerated) skip(data []byte, start, stop int) int {
	n, err := skipGenerated(data[start:])
	if err == nil && n > stop-start {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return r.fail(data, err)
	}
	return start + n
}

// tag reads the tag at data[i]; what is beyond 32 bits of its number does not count.
func (r *readerGenerated) tag(data []byte, i int) (tag uint64, next int) {
	v, next := r.varint(data, i)
	return v & (1<<35 - 1), next
}

// varint reads a number.
//
//go:noinline
func (r *readerGenerated) varint(data []byte, i int) (v uint64, next int) {
	v, next, err := readVarintGenerated(data, i)
	if err != nil {
		return 0, r.fail(data, err)
	}
	return v, next
}

// length reads how long the value is that comes next. It may be longer than what is there.
//
//go:noinline
func (r *readerGenerated) length(data []byte, i int) (size, next int) {
	size, next, err := sizeOfGenerated(data, i)
	if err != nil {
		return 0, r.fail(data, err)
	}
	return size, next
}

// text is body as a string, which is a part of what is read if strings are. An empty one keeps nothing of it.
func (r *readerGenerated) text(body []byte) string {
	switch {
	case len(body) == 0:
		return ""
	case r.shared:
		return unsafe.String(&body[0], len(body))
	}
	return string(body)
}

// followingGenerated counts the fields with this tag and a length that data has from next on, one after the other.
func followingGenerated(data []byte, next int, tag uint64) int {
	if next >= len(data) || data[next]&0x7f != byte(tag&0x7f) {
		return 0
	}
	return countGenerated(data[next:], tag)
}

// countGenerated counts the fields that data starts with and that have this tag and a length.
func countGenerated(data []byte, tag uint64) (n int) {
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
