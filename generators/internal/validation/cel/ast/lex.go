package ast

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	end kind = iota
	name
	number
	quoted
	bytesText
	symbol
)

type token struct {
	kind kind
	text string // of a quoted one, what the quotes hold
	at   int
}

// symbols are those of two characters; all others have one.
var symbols = []string{"&&", "||", "==", "!=", "<=", ">="}

func lex(source string) ([]token, error) {
	var out []token
	for i := 0; i < len(source); {
		c, width := utf8.DecodeRuneInString(source[i:])
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(source[i:], "//"):
			size := strings.IndexByte(source[i:], '\n')
			if size < 0 {
				size = len(source) - i
			}
			i += size
		case opensText(source[i:]), opensBytes(source[i:]):
			kind, from := quoted, i
			if opensBytes(source[i:]) {
				kind, from = bytesText, i+1
			}
			text, size, err := quotedText(source[from:])
			if err == nil && kind == bytesText && escapesSign(source[from:from+size]) {
				err = fmt.Errorf("%s has bytes, and the number of a sign is none", source[i:from+size])
			}
			if err != nil {
				return nil, err
			}
			out = append(out, token{kind, text, i})
			i = from + size
		case c >= '0' && c <= '9':
			size := strings.IndexFunc(source[i:], func(r rune) bool { return !unicode.IsDigit(r) && !strings.ContainsRune("._eExXabcdfABCDFuU", r) })
			if size < 0 {
				size = len(source) - i
			}
			out = append(out, token{number, source[i : i+size], i})
			i += size
		case c == '_' || unicode.IsLetter(c):
			size := strings.IndexFunc(source[i:], func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			if size < 0 {
				size = len(source) - i
			}
			out = append(out, token{name, source[i : i+size], i})
			i += size
		default:
			text := source[i : i+width]
			for _, s := range symbols {
				if strings.HasPrefix(source[i:], s) {
					text = s
				}
			}
			if text == "\u201d" || text == "\u201c" {
				return nil, fmt.Errorf("%q is no part of the language: gofmt makes it of two apostrophes in a comment, so write \\\"\\\" for the empty text", text)
			}
			if utf8.RuneCountInString(text) == 1 && !strings.Contains("()[]{}.,!<>?:+-*/%", text) {
				return nil, fmt.Errorf("%q is no part of the language", text)
			}
			out = append(out, token{symbol, text, i})
			i += len(text)
		}
	}
	return append(out, token{end, "the end", len(source)}), nil
}
