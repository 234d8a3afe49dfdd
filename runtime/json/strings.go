package json

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

const (
	// chunkSize is the size of the pieces of memory that short strings share.
	chunkSize = 1024
	// maxShort is the length up to which a string is put into such a piece, so that little of one
	// is wasted.
	maxShort = chunkSize / 8
)

// string makes the string that a text stands for, to be kept in the object.
func (r *Reader) string(t text) string {
	if t.escaped || t.wide && !utf8.Valid(t.raw) {
		return string(unescape(t.raw))
	}
	return r.keep(t.raw)
}

// bytes is string for the time of reading only: it may share memory with the data.
func (t text) bytes() []byte {
	if t.escaped || t.wide && !utf8.Valid(t.raw) {
		return unescape(t.raw)
	}
	return t.raw
}

func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// keep makes a string of bytes of the data.
func (r *Reader) keep(b []byte) string {
	switch {
	case len(b) == 0:
		return ""
	case r.shared:
		return view(b)
	case len(b) > maxShort:
		return string(b)
	}
	start := len(r.chunk)
	if start+len(b) > cap(r.chunk) {
		// A small input gets a small piece: its strings are shorter than what is left of it and b.
		start, r.chunk = 0, make([]byte, 0, min(chunkSize, len(b)+len(r.data)-r.pos))
	}
	// Bytes of a piece are written once, before the string that they belong to exists.
	r.chunk = append(r.chunk, b...)
	return view(r.chunk[start:])
}

// unescape makes the text of a string literal's inside, which is known to be right; what is not
// UTF-8, and halves of surrogate pairs, become U+FFFD.
func unescape(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+utf8.UTFMax)
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '\\' && raw[i+1] == 'u':
			char := hexRune(raw[i+2:])
			i += 6
			if utf16.IsSurrogate(char) {
				second := rune(-1)
				if i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
					second = hexRune(raw[i+2:])
				}
				if char = utf16.DecodeRune(char, second); char != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, char)
		case c == '\\':
			out = append(out, unescaped(raw[i+1]))
			i += 2
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			char, size := utf8.DecodeRune(raw[i:])
			out = utf8.AppendRune(out, char)
			i += size
		}
	}
	return out
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func hexRune(b []byte) rune {
	n, err := strconv.ParseUint(view(b[:4]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}
