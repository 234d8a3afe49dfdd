package json

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes of a string are looked at in one step. Taking something from each byte sets its
// highest bit if there was less than that in it. Bits above the lowest that is set may be wrong,
// because of what is carried. So only the lowest counts.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// readSpecial marks the bytes of eight at which reading a string has something to do: a quote, a
// backslash, a control character, or what is not ASCII.
func readSpecial(x uint64) uint64 {
	return (x | (x - ones*' ') | ((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones)) & highs
}

// specialRead returns where in data from i on the first byte stands that is a quote, a backslash, a
// control character or not ASCII; len(data) if there is none.
func specialRead(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		if m := readSpecial(binary.LittleEndian.Uint64(data[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(data); i++ {
		if c := data[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			break
		}
	}
	return i
}

// text is a string as it stands in the data.
type text struct {
	raw []byte // between the quotes
	// escaped says that there are backslashes in raw, wide that there is something besides ASCII.
	escaped, wide bool
}

// plain takes a string that is ASCII without escapes, which most are, and returns where it begins
// and ends between its quotes. If it is not ok it has taken nothing. r.pos is at the opening quote.
func (r *Reader) plain() (start, end int, ok bool) {
	start = r.pos + 1
	end = specialRead(r.data, start)
	if end >= len(r.data) || r.data[end] != '"' {
		return 0, 0, false
	}
	r.pos = end + 1
	return start, end, true
}

// text takes a string; r.pos is at the opening quote.
func (r *Reader) text() text {
	if start, end, ok := r.plain(); ok {
		return text{raw: r.data[start:end]}
	}
	start := r.pos + 1
	end, escaped, wide := stringEnd(r.data, start)
	if end < 0 {
		r.bad()
		return text{}
	}
	r.pos = end + 1
	return text{r.data[start:end], escaped, wide}
}

// stringEnd finds the quote that ends the string whose first byte is at i; -1 if it is not right.
func stringEnd(data []byte, i int) (end int, escaped, wide bool) {
	for {
		i = specialRead(data, i)
		if i >= len(data) {
			return -1, false, false
		}
		switch c := data[i]; {
		case c == '"':
			return i, escaped, wide
		case c == '\\':
			escaped = true
			n := escapeLen(data[i:])
			if n == 0 {
				return -1, false, false
			}
			i += n
		case c < ' ':
			return -1, false, false
		default:
			wide = true
			for i++; i < len(data) && data[i] >= 0x80; i++ {
			}
		}
	}
}

// escapeLen is the length of the escape sequence that data begins with, 0 if it is not right.
func escapeLen(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	switch data[1] {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return 2
	case 'u':
		if len(data) >= 6 && isHex(data[2]) && isHex(data[3]) && isHex(data[4]) && isHex(data[5]) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number takes a number; r.pos is at its first byte. It is nil if it is not right.
func (r *Reader) number() []byte {
	end := numberEnd(r.data, r.pos)
	if end < 0 {
		r.bad()
		return nil
	}
	number := r.data[r.pos:end]
	r.pos = end
	return number
}

// numberEnd finds the end of the number that begins at i; -1 if it is not right.
func numberEnd(data []byte, i int) int {
	if i < len(data) && data[i] == '-' {
		i++
	}
	start := i
	i = digits(data, i)
	if i == start {
		return -1
	}
	if data[start] == '0' && i > start+1 {
		return start + 1 // what follows is found not to be right by whoever goes on there
	}
	if i < len(data) && data[i] == '.' {
		start = i + 1
		if i = digits(data, start); i == start {
			return -1
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		start = i
		if i = digits(data, start); i == start {
			return -1
		}
	}
	return i
}

func digits(data []byte, i int) int {
	for i < len(data) && isDigit(data[i]) {
		i++
	}
	return i
}
