package json

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// AppendInt appends a signed integer.
func AppendInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](dst []byte, n T) []byte {
	return strconv.AppendInt(dst, int64(n), 10)
}

// AppendUint appends an unsigned integer.
func AppendUint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](dst []byte, n T) []byte {
	return strconv.AppendUint(dst, uint64(n), 10)
}

// AppendBool appends true or false.
func AppendBool[T ~bool](dst []byte, b T) []byte { return strconv.AppendBool(dst, bool(b)) }

// AppendFloat appends a number as JavaScript prints it. There is none for infinities and what is
// not a number.
func AppendFloat[T float](dst []byte, f T) ([]byte, error) {
	size := int(unsafe.Sizeof(f)) * 8
	n := float64(f)
	if math.IsInf(n, 0) || math.IsNaN(n) {
		return dst, fmt.Errorf("json: unsupported value: %s", strconv.FormatFloat(n, 'g', -1, size))
	}
	if abs := T(math.Abs(n)); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, n, 'f', -1, size), nil
	}
	dst = strconv.AppendFloat(dst, n, 'e', -1, size)
	// e-09 is written e-9.
	if end := len(dst); end >= 4 && dst[end-4] == 'e' && dst[end-3] == '-' && dst[end-2] == '0' {
		dst[end-2] = dst[end-1]
		dst = dst[:end-1]
	}
	return dst, nil
}

// AppendNumber appends a json.Number; an empty one is 0.
func AppendNumber(dst []byte, n json.Number) ([]byte, error) {
	if n == "" {
		n = "0"
	}
	if !validNumber(string(n)) {
		return dst, fmt.Errorf("json: invalid number literal %q", string(n))
	}
	return append(dst, n...), nil
}

// AppendBytes appends bytes in base64, or null.
func AppendBytes[S ~[]B, B ~uint8](dst []byte, s S) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// AppendQuotedString appends a string of a field with the option "string": as a literal inside of a
// literal.
func AppendQuotedString[T ~string](dst []byte, s T) []byte {
	return AppendString(dst, view(AppendString(nil, s)))
}
