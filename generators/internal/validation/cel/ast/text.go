package ast

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// opensText tells whether a literal text begins: 'a', "a", """a""", or one of them behind an r, in
// which nothing is escaped.
func opensText(s string) bool {
	s = strings.TrimLeft(s[:min(2, len(s))], "rR")
	return s != "" && (s[0] == '"' || s[0] == '\'')
}

// opensBytes tells whether literal bytes begin, which are a text behind a b. What an r before that
// means is for others to say.
func opensBytes(s string) bool {
	return len(s) > 1 && (s[0] == 'b' || s[0] == 'B') && opensText(s[1:])
}

// quotedText reads text in quotes at the beginning of s and returns how long it is there.
func quotedText(s string) (text string, size int, err error) {
	from := 0
	raw := s[0] == 'r' || s[0] == 'R'
	if raw {
		from = 1
	}
	quote := s[from : from+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(s[from:], triple) {
		quote = triple
	}
	from += len(quote)
	for i := from; i < len(s); i++ {
		switch {
		case s[i] == '\\' && !raw:
			i++
		case strings.HasPrefix(s[i:], quote):
			text, size = s[from:i], i+len(quote)
			if !raw {
				text, err = unescaped(text)
			}
			if err != nil {
				return "", 0, fmt.Errorf("%s is no text as it should be quoted: %w", s[:size], err)
			}
			return text, size, nil
		}
	}
	return "", 0, fmt.Errorf("the quote %s is not closed", quote)
}

// escapesSign tells whether a quoted text has a sign by its number, \u0041, which bytes can't have.
func escapesSign(quoted string) bool {
	quoted = strings.ReplaceAll(quoted, `\\`, "")
	return quoted[0] != 'r' && quoted[0] != 'R' && (strings.Contains(quoted, `\u`) || strings.Contains(quoted, `\U`))
}

// escapes are those of one sign.
var escapes = map[byte]string{
	'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v", '\\': "\\", '?': "?", '"': "\"", '\'': "'", '`': "`",
}

// digits are how many of them stand behind an escape with a number: \x41, \u0041, \U00000041.
var digits = map[byte]int{'x': 2, 'X': 2, 'u': 4, 'U': 8}

// unescaped is a text without its escapes.
func unescaped(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", fmt.Errorf("it ends in a backslash")
		}
		if text, ok := escapes[s[i]]; ok {
			b.WriteString(text)
			continue
		}
		from, n, base := i+1, digits[s[i]], 16
		if s[i] >= '0' && s[i] <= '3' { // \101
			from, n, base = i, 3, 8
		}
		if n == 0 || from+n > len(s) {
			return "", fmt.Errorf("there is no \\%c", s[i])
		}
		code, err := strconv.ParseUint(s[from:from+n], base, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return "", fmt.Errorf("%s is no sign", s[i-1:from+n])
		}
		b.WriteRune(rune(code))
		i = from + n - 1
	}
	return b.String(), nil
}
