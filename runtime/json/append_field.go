package json

import (
	"strconv"
	"unsafe"
)

// The functions that append fields are called, never inlined. An object is written by much code of
// which each line runs once: fetching more of it takes longer than the calls.

// AppendName appends the name of a field with all that stands around it: `,"name":`.
//
//go:noinline
func AppendName(dst []byte, name string) []byte {
	n := len(name)
	end := len(dst) + n
	if end > cap(dst) || uint(n-8) > 16 {
		return appendAnyName(dst, name)
	}
	copyName(endOf(dst), unsafe.Pointer(unsafe.StringData(name)), n)
	return dst[:end]
}

//go:noinline
func appendAnyName(dst []byte, name string) []byte { return append(dst, name...) }

// copyName copies 8 to 24 bytes, which most names have with what stands around them, as three words
// that may overlap.
func copyName(to, from unsafe.Pointer, n int) {
	middle := (n - 8) / 2
	*(*word)(to) = *(*word)(from)
	*(*word)(unsafe.Add(to, middle)) = *(*word)(unsafe.Add(from, middle))
	*(*word)(unsafe.Add(to, n-8)) = *(*word)(unsafe.Add(from, n-8))
}

// AppendIntField appends the name of a field, as AppendName does, and a signed integer.
func AppendIntField[T ~int | ~int8 | ~int16 | ~int32 | ~int64](dst []byte, name string, n T) []byte {
	return appendIntField(dst, name, int64(n))
}

//go:noinline
func appendIntField(dst []byte, name string, n int64) []byte {
	dst = AppendName(dst, name)
	if uint64(n) < 10 {
		return append(dst, byte('0'+n))
	}
	return strconv.AppendInt(dst, n, 10)
}

// AppendBoolField appends the name of a field, as AppendName does, and true or false.
func AppendBoolField[T ~bool](dst []byte, name string, b T) []byte {
	return appendBoolField(dst, name, bool(b))
}

//go:noinline
func appendBoolField(dst []byte, name string, b bool) []byte {
	return strconv.AppendBool(AppendName(dst, name), b)
}

// Close ends an object whose fields were appended behind start, each with a comma before it: the
// first of these, if there is one, becomes the opening brace.
//
//go:noinline
func Close(dst []byte, start int) []byte {
	if len(dst) == start {
		return append(dst, "{}"...)
	}
	dst[start] = '{'
	return append(dst, '}')
}
