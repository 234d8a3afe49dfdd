package json

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

const hexDigits = "0123456789abcdef"

// AppendString appends a string in quotes, escaped as encoding/json does: control characters, quotes, backslashes, the
// HTML signs <, > and &, U+2028 and U+2029; what is not UTF-8 becomes \ufffd.
func AppendString[T ~string](dst []byte, s T) []byte { return appendString(dst, string(s)) }

func appendString(dst []byte, s string) []byte {
	start := len(dst) + 1
	end := start + len(s)
	if end >= cap(dst) {
		dst = slices.Grow(dst, len(s)+2)
	}
	whole := dst[:end+1]
	whole[start-1], whole[end] = '"', '"'
	// Bytes are looked at while they are copied, eight at a time. The last eight overlap those before.
	from, to := unsafe.Slice(unsafe.StringData(s), len(s)), whole[start:end]
	var special uint64
	switch {
	case len(from) >= 8:
		last := binary.LittleEndian.Uint64(from[len(from)-8:])
		binary.LittleEndian.PutUint64(to[len(to)-8:], last)
		special = writeSpecial(last)
		for len(from) > 8 && len(to) > 8 {
			x := binary.LittleEndian.Uint64(from)
			binary.LittleEndian.PutUint64(to, x)
			special |= writeSpecial(x)
			from, to = from[8:], to[8:]
		}
	case len(from) >= 4:
		first, last := binary.LittleEndian.Uint32(from), binary.LittleEndian.Uint32(from[len(from)-4:])
		binary.LittleEndian.PutUint32(to, first)
		binary.LittleEndian.PutUint32(to[len(to)-4:], last)
		special = writeSpecial(uint64(first) | uint64(last)<<32)
	default:
		for i, c := range from {
			to[i] = c
			if !plain[c] {
				special = 1
			}
		}
	}
	if special != 0 {
		return appendEscaped(dst[:start], s, specialWrite(s, 0))
	}
	return whole
}

// appendEscaped appends a string whose first special byte is at i, and the closing quote.
func appendEscaped(dst []byte, s string, i int) []byte {
	start := 0
	for i < len(s) {
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[i:])
			if c != '\u2028' && c != '\u2029' && (c != utf8.RuneError || size > 1) {
				i += size
				if i < len(s) && s[i] < utf8.RuneSelf {
					i = specialWrite(s, i)
				}
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i += size
		start = i
		i = specialWrite(s, i)
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendEscape appends the escape sequence of a character that needs one.
func appendEscape(dst []byte, c rune) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', byte(c))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', hexDigits[c>>12&15], hexDigits[c>>8&15], hexDigits[c>>4&15], hexDigits[c&15])
}

// writeSpecial marks the bytes of eight that can't be written as they are, or belong to a character besides ASCII.
// Two pairs of signs differ in one bit: & from ", and < from >.
func writeSpecial(x uint64) uint64 {
	return (x | (x - ones*' ') | (((x | ones*4) ^ ones*'&') - ones) | (((x | ones*2) ^ ones*'>') - ones) | ((x ^ ones*'\\') - ones)) & highs
}

// specialWrite returns where in s from i on the first byte is that can't be written as it is; len(s) if there is none.
func specialWrite(s string, i int) int {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	for ; i+8 <= len(b); i += 8 {
		if m := writeSpecial(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(b); i++ {
		if !plain[b[i]] {
			break
		}
	}
	return i
}

// plain are the bytes that are written as they are, wherever they stand in a string.
var plain = func() (t [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return t
}()

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

// AppendFloat appends a number as JavaScript prints it. There is none for infinities and what is not a number.
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

// AppendQuotedString appends a string of a field with the option "string": as a literal inside of a literal.
func AppendQuotedString[T ~string](dst []byte, s T) []byte {
	return AppendString(dst, view(AppendString(nil, s)))
}

// Close ends an object whose fields were appended behind start, each with a comma before it: the first of these, if
// there is one, becomes the opening brace.
func Close(dst []byte, start int) []byte {
	if len(dst) == start {
		return append(dst, "{}"...)
	}
	dst[start] = '{'
	return append(dst, '}')
}
