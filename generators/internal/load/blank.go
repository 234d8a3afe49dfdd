package load

import "bytes"

// blankBodies replaces the bodies of function declarations in Go source by spaces, in place. Line
// ends remain, so all positions stay the same. It saves most of the time that parsing takes.
// Errors in bodies disappear; other errors remain for the parser.
func blankBodies(source []byte) {
	b := blanker{in: source, fresh: true}
	for b.at < len(b.in) {
		if fresh := b.fresh; string(b.token()) == "func" && fresh {
			b.function()
		}
	}
}

// blanker reads a file token by token. A pair of brackets with all between them is one token.
type blanker struct {
	in []byte
	at int
	// ended reports whether the last token can end a statement. Behind such a token Go inserts a
	// semicolon at a line end, so that a statement can begin: fresh.
	ended, fresh bool
}

// function reads a function declaration behind the word func, and blanks its body if it has one.
func (b *blanker) function() {
	var last []byte
	for b.at < len(b.in) && !b.fresh {
		token := b.token()
		switch {
		case len(token) == 0:
			continue
		case token[0] == '{' && string(last) != "struct" && string(last) != "interface":
			blank(token)
			return
		}
		last = token
	}
}

// blank blanks a body with its braces, if it ends.
func blank(body []byte) {
	if end := len(body) - 1; end > 0 && body[end] == '}' {
		for i, c := range body[1:end] {
			if c != '\n' {
				body[1+i] = ' '
			}
		}
	}
}

// token skips a token and returns it; it is empty for white space and comments.
func (b *blanker) token() []byte {
	start := b.at
	rest := b.in[start:]
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		b.at++
		b.fresh = b.fresh || c == '\n' && b.ended
		return nil
	case bytes.HasPrefix(rest, []byte("//")):
		b.until(0, "\n") // the line end is the next token
		return nil
	case bytes.HasPrefix(rest, []byte("/*")):
		b.until(2, "*/")
		b.at = min(b.at+2, len(b.in))
		b.fresh = b.fresh || b.ended && bytes.IndexByte(b.in[start:b.at], '\n') >= 0
		return nil
	case c == '`':
		b.until(1, "`")
		b.at = min(b.at+1, len(b.in))
	case c == '"' || c == '\'':
		b.quoted(c)
	case inWord(c):
		for b.at < len(b.in) && inWord(b.in[b.at]) {
			b.at++
		}
	case c == '(' || c == '[' || c == '{':
		b.brackets()
	default:
		b.at++
		b.ended, b.fresh = false, c == ';'
		return rest[:1]
	}
	b.ended, b.fresh = true, false
	return b.in[start:b.at]
}

// until skips n bytes, and then all before a mark.
func (b *blanker) until(n int, mark string) {
	if i := bytes.Index(b.in[b.at+n:], []byte(mark)); i >= 0 {
		b.at += n + i
	} else {
		b.at = len(b.in)
	}
}

// quoted skips a literal in quotation marks, which ends on its line.
func (b *blanker) quoted(mark byte) {
	for b.at++; b.at < len(b.in); b.at++ {
		switch b.in[b.at] {
		case mark:
			b.at++
			return
		case '\\':
			b.at++
		case '\n':
			return
		}
	}
	b.at = len(b.in)
}

// brackets skips an opening bracket, and all up to the closing one.
func (b *blanker) brackets() {
	for b.at++; b.at < len(b.in); {
		switch b.in[b.at] {
		case ')', ']', '}':
			b.at++
			return
		}
		b.token()
	}
}

// inWord reports whether a byte can stand in a name or a number.
func inWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}
