package protobuf

import (
	"io"
	"unsafe"
)

// skip passes over the field that starts at start and stops before stop.
func (r *Reader) skip(data []byte, start, stop int) int {
	n, err := skipField(data[start:])
	if err == nil && n > stop-start {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return r.fail(data, err)
	}
	return start + n
}

// tag reads the tag at data[i]; what is beyond 32 bits of its number does not count.
func (r *Reader) tag(data []byte, i int) (tag uint64, next int) {
	v, next := r.varint(data, i)
	return v & (1<<35 - 1), next
}

// varint reads a number.
//
//go:noinline
func (r *Reader) varint(data []byte, i int) (v uint64, next int) {
	v, next, err := readVarint(data, i)
	if err != nil {
		return 0, r.fail(data, err)
	}
	return v, next
}

// length reads how long the value is that comes next. It may be longer than what is there.
//
//go:noinline
func (r *Reader) length(data []byte, i int) (size, next int) {
	size, next, err := lengthAt(data, i)
	if err != nil {
		return 0, r.fail(data, err)
	}
	return size, next
}

// text is body as a string, which is a part of what is read if strings are. An empty one keeps
// nothing of it.
func (r *Reader) text(body []byte) string {
	switch {
	case len(body) == 0:
		return ""
	case r.Shared:
		return unsafe.String(&body[0], len(body))
	}
	return string(body)
}

// following counts the fields with this tag and a length that data has from next on, one after the
// other.
func following(data []byte, next int, tag uint64) int {
	if next >= len(data) || data[next]&0x7f != byte(tag&0x7f) {
		return 0
	}
	return count(data[next:], tag)
}

// count counts the fields that data starts with and that have this tag and a length.
func count(data []byte, tag uint64) (n int) {
	for i := 0; i < len(data); n++ {
		next, at, err := readVarint(data, i)
		if err != nil || next != tag {
			return n
		}
		if _, i, err = readBytes(data, at); err != nil {
			return n
		}
	}
	return n
}
