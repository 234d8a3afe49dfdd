package json

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
	"unsafe"
)

// AppendString appends a string in quotes, escaped as encoding/json does: control characters,
// quotes, backslashes, the HTML signs <, > and &, U+2028 and U+2029; what is not UTF-8 becomes
// \ufffd.
func AppendString[T ~string](dst []byte, s T) []byte { return appendString(dst, "", string(s)) }

// AppendStringField appends the name of a field, as AppendName does, and a string.
func AppendStringField[T ~string](dst []byte, name string, s T) []byte {
	return appendString(dst, name, string(s))
}

// appendString is for strings of 8 to 32 bytes, which most are, and has the others done. It looks
// at the bytes of a string while it copies them, eight at a time; the last ones overlap those
// before, so that nothing is done byte by byte. Every call in it is the last thing that it does: so
// all it works with stays in registers.
func appendString(dst []byte, name, s string) []byte {
	m, n := len(name), len(s)
	end := len(dst) + m + n + 2
	if end > cap(dst) {
		return appendStringGrown(dst, name, s)
	}
	to, from := endOf(dst), unsafe.Pointer(unsafe.StringData(s))
	if m > 0 {
		if uint(m-8) > 16 {
			return appendStringAfter(dst, name, s)
		}
		copyName(to, unsafe.Pointer(unsafe.StringData(name)), m)
		to = unsafe.Add(to, m)
	}
	*(*byte)(to) = '"'
	if uint(n-8) > 24 {
		return appendShortOrLong(dst[:end-n-1], s)
	}
	x := load(from, 0)
	store(to, 1, x)
	odd := unsure(x)
	x = load(from, n-8)
	store(to, n-7, x)
	odd |= unsure(x)
	if n > 16 {
		x = load(from, 8)
		store(to, 9, x)
		odd |= unsure(x)
		x = load(from, n-16)
		store(to, n-15, x)
		odd |= unsure(x)
	}
	if odd&highs != 0 {
		return appendUnsure(dst[:end-n-1], s)
	}
	*(*byte)(unsafe.Add(to, n+1)) = '"'
	return dst[:end]
}

// appendStringGrown makes room first.
//
//go:noinline
func appendStringGrown(dst []byte, name, s string) []byte {
	return appendString(slices.Grow(dst, len(name)+len(s)+2), name, s)
}

// appendStringAfter appends the name first.
//
//go:noinline
func appendStringAfter(dst []byte, name, s string) []byte {
	return appendString(append(dst, name...), "", s)
}

// appendShortOrLong appends a string of less than 8 bytes or more than 32, and a quote, for which
// there is room.
//
//go:noinline
func appendShortOrLong(dst []byte, s string) []byte {
	to, from, n := endOf(dst), unsafe.Pointer(unsafe.StringData(s)), len(s)
	var special uint64
	switch {
	case n >= 8:
		x := load(from, n-8)
		store(to, n-8, x)
		special = writeSpecial(x)
		for i := 0; i < n-8; i += 8 {
			x = load(from, i)
			store(to, i, x)
			special |= writeSpecial(x)
		}
	case n >= 4:
		x, y := load32(from, 0), load32(from, n-4)
		store32(to, 0, x)
		store32(to, n-4, y)
		special = writeSpecial(uint64(x) | uint64(y)<<32)
	default:
		for i := range n {
			c := s[i]
			*(*byte)(unsafe.Add(to, i)) = c
			if !plain[c] {
				special = 1
			}
		}
	}
	if special != 0 {
		return appendEscaped(dst, s, specialWrite(s, 0))
	}
	*(*byte)(unsafe.Add(to, n)) = '"'
	return dst[:len(dst)+n+1]
}

// appendUnsure appends a quote to a string of 8 bytes or more that is copied behind dst already,
// and may have something in it that is to be escaped.
//
//go:noinline
func appendUnsure(dst []byte, s string) []byte {
	from, n := unsafe.Pointer(unsafe.StringData(s)), len(s)
	special := writeSpecial(load(from, n-8))
	for i := 0; i < n-8; i += 8 {
		special |= writeSpecial(load(from, i))
	}
	if special != 0 {
		return appendEscaped(dst, s, specialWrite(s, 0))
	}
	return append(dst[:len(dst)+n], '"')
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

const hexDigits = "0123456789abcdef"

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

// unsure sets the highest bit of each byte that writeSpecial marks, and of some that it does not.
// Those are seldom in short strings: spaces, ', !, #, $, %, ^, | and ~. It takes half the time.
func unsure(x uint64) uint64 {
	x ^= ones
	return x | (x - ones*0x28) | (x&(ones*0x1d) + ones*0x63)
}

// writeSpecial marks the bytes of eight that can't be written as they are, or belong to a character
// besides ASCII. Two pairs of signs differ in one bit: & from ", and < from >.
func writeSpecial(x uint64) uint64 {
	return (x | (x - ones*' ') | (((x | ones*4) ^ ones*'&') - ones) | (((x | ones*2) ^ ones*'>') - ones) | ((x ^ ones*'\\') - ones)) & highs
}

// specialWrite returns where in s from i on the first byte is that can't be written as it is;
// len(s) if there is none.
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
