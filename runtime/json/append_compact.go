package json

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unsafe"
)

// AppendCompact appends a JSON value without white space and with HTML signs escaped. It is an
// error if data is not exactly one value.
func AppendCompact(dst, data []byte) ([]byte, error) {
	if isPlain(data) && isCompact(data) {
		return append(dst, data...), nil
	}
	end, _ := valueEnd(data, 0, maxDepth, nil)
	if end < 0 || spaceEnd(data, end) < len(data) {
		var all json.RawMessage
		return dst, json.Unmarshal(data, &all)
	}
	start := 0
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case !altered[c]:
			continue
		case c == '"': // the characters of a string stay
			dst = append(dst, data[start:i]...)
			next, _, _ := stringEnd(data, i+1)
			dst = appendHTML(dst, data[i:next+1])
			i = next
		default: // white space
			dst = append(dst, data[start:i]...)
		}
		start = i + 1
	}
	return append(dst, data[start:]...), nil
}

// altered are the bytes at which compacting has something to do.
var altered = [256]bool{' ': true, '\n': true, '\r': true, '\t': true, '"': true}

// appendHTML appends a string literal with HTML signs and the two separators escaped.
func appendHTML(dst, literal []byte) []byte {
	start := 0
	for i, c := range literal {
		switch {
		case c == '<' || c == '>' || c == '&':
			dst = append(dst, literal[start:i]...)
			dst = appendEscape(dst, rune(c))
			start = i + 1
		case c == 0xE2 && (bytes.HasPrefix(literal[i:], separators[0]) || bytes.HasPrefix(literal[i:], separators[1])):
			dst = append(dst, literal[start:i]...)
			dst = appendEscape(dst, 0x2000|rune(literal[i+2]&0x3f))
			start = i + 3
		}
	}
	return append(dst, literal[start:]...)
}

var separators = [2][]byte{[]byte("\u2028"), []byte("\u2029")}

// isPlain tells whether there is no white space, no HTML sign and nothing but ASCII in data. It is
// false for less than eight bytes.
func isPlain(data []byte) bool {
	if len(data) < 8 {
		return false
	}
	p := unsafe.Pointer(unsafe.SliceData(data))
	found := compactSpecial(load(p, len(data)-8))
	for i := 0; i < len(data)-8; i += 8 {
		found |= compactSpecial(load(p, i))
	}
	return found&highs == 0
}

// compactSpecial sets the highest bit of the bytes of eight that isPlain looks for, and perhaps of
// some above these.
func compactSpecial(x uint64) uint64 {
	return x | (x - ones*'!') | ((x ^ ones*'&') - ones) | (((x | ones*2) ^ ones*'>') - ones)
}

// isCompact tells whether plain data is a JSON value in which at most 63 arrays and objects are
// inside each other. Where it is false, valueEnd knows more.
func isCompact(data []byte) bool {
	// around has a bit for each array or object that is open, the innermost the lowest, set for an
	// object; above these is one that is always set.
	around := uint64(1)
	for i := 0; i < len(data); {
		// A value begins here.
		switch c := data[i]; c {
		case '{', '[':
			i++
			if i < len(data) && data[i] == c+2 { // the closing bracket is the byte after the next, for both
				i++
				break
			}
			if around>>63 != 0 {
				return false
			}
			around <<= 1
			if c == '{' {
				around |= 1
				if i = nameEnd(data, i); i < 0 {
					return false
				}
			}
			continue
		case '"':
			if i = quoteEnd(data, i+1); i < 0 {
				return false
			}
		default:
			if i = scalarEnd(data, i); i < 0 {
				return false
			}
		}
		// A value has ended here.
		for around > 1 && i < len(data) && data[i] == ']'+byte(around&1)<<5 {
			around >>= 1
			i++
		}
		if around == 1 {
			return i == len(data)
		}
		if i >= len(data) || data[i] != ',' {
			return false
		}
		i++
		if around&1 != 0 {
			if i = nameEnd(data, i); i < 0 {
				return false
			}
		}
	}
	return false
}

// nameEnd is keyEnd for plain data. Most names have less than 16 bytes and nothing escaped: it
// looks at two words for their end, and has others done.
func nameEnd(data []byte, i int) int {
	if i+18 > len(data) {
		return longNameEnd(data, i)
	}
	p := unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), i)
	if *(*byte)(p) != '"' {
		return -1
	}
	n := 1
	x := load(p, n)
	m := (((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones)) & highs
	if m == 0 {
		n += 8
		x = load(p, n)
		if m = (((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones)) & highs; m == 0 {
			return longNameEnd(data, i)
		}
	}
	if n += bits.TrailingZeros64(m) >> 3; load16(p, n) != '"'|':'<<8 {
		return longNameEnd(data, i)
	}
	return i + n + 2
}

//go:noinline
func longNameEnd(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	if i = quoteEnd(data, i+1); i < 0 || i >= len(data) || data[i] != ':' {
		return -1
	}
	return i + 1
}

// quoteEnd finds the end of the string whose first byte is at i, in plain data; -1 if it is not
// right.
func quoteEnd(data []byte, i int) int {
	for {
		for ; i+8 <= len(data); i += 8 {
			x := binary.LittleEndian.Uint64(data[i:])
			if m := (((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones)) & highs; m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
		}
		for i < len(data) && data[i] != '"' && data[i] != '\\' {
			i++
		}
		if i >= len(data) {
			return -1
		}
		if data[i] == '"' {
			return i + 1
		}
		if i+1 < len(data) && data[i+1] == '"' { // most of what is escaped
			i += 2
			continue
		}
		n := escapeLen(data[i:])
		if n == 0 {
			return -1
		}
		i += n
	}
}
