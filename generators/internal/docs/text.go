package docs

import (
	"regexp"
	"strings"
)

// block is a piece of a comment: a paragraph, an item of a list, or lines of code.
type block struct {
	item, code bool
	text       string // code keeps its line breaks
}

var itemStart = regexp.MustCompile(`^\s*(?:[-*•]|\d+[.)]) +(.*)$`)

// blocks takes a comment apart as Go's documents do: an empty line ends a paragraph, an indented
// line is code unless it goes on with a list.
func blocks(lines []string) []block {
	var out []block
	open := false // whether a line may go on with the last block
	for _, line := range lines {
		text := strings.Join(strings.Fields(line), " ")
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")
		last := len(out) - 1
		m := itemStart.FindStringSubmatch(line)
		switch {
		case text == "":
			open = false
		case m != nil:
			out, open = append(out, block{item: true, text: m[1]}), true
		case open && !out[last].code && (out[last].item || !indented):
			out[last].text += " " + text
		case open && out[last].code && indented:
			out[last].text += "\n" + strings.TrimPrefix(strings.TrimPrefix(line, " "), "\t")
		case indented:
			out, open = append(out, block{code: true, text: strings.TrimPrefix(strings.TrimPrefix(line, " "), "\t")}), true
		default:
			out, open = append(out, block{text: text}), true
		}
	}
	return out
}

// prose is a comment as Markdown.
func prose(lines []string) string {
	var b strings.Builder
	for i, block := range blocks(lines) {
		switch {
		case block.code:
			b.WriteString("\n```\n" + strings.ReplaceAll(block.text, "```", "'''") + "\n```\n")
		case block.item:
			if i == 0 || !blocks(lines)[i-1].item {
				b.WriteString("\n")
			}
			b.WriteString("- " + escape(block.text) + "\n")
		case strings.HasPrefix(block.text, "# "):
			b.WriteString("\n**" + escape(strings.TrimPrefix(block.text, "# ")) + "**\n")
		default:
			b.WriteString("\n" + escape(block.text) + "\n")
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// cell is a comment as Markdown that may stand in a table.
func cell(lines []string) string {
	var parts []string
	for _, block := range blocks(lines) {
		switch {
		case block.code:
			for _, line := range strings.Split(block.text, "\n") {
				parts = append(parts, code(strings.TrimSpace(line)))
			}
		case block.item:
			parts = append(parts, "• "+inTable(escape(block.text)))
		default:
			parts = append(parts, inTable(escape(block.text)))
		}
	}
	return strings.Join(parts, "<br>")
}

// inTable keeps a bar from ending a cell, in code too.
func inTable(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// code is text as code that may stand in a table.
func code(s string) string {
	s = inTable(strings.Join(strings.Fields(s), " "))
	switch {
	case s == "":
		return "(empty)"
	case !strings.Contains(s, "`"):
		return "`" + s + "`"
	default:
		return "`` " + s + " ``"
	}
}

// escape keeps what is text in a comment from being Markdown. What stands between backticks stays
// code.
func escape(text string) string {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 { // one is not closed, so none means anything
		return escapePlain(strings.ReplaceAll(text, "`", "'"))
	}
	for i := range parts {
		if i%2 == 0 {
			parts[i] = escapePlain(parts[i])
		}
	}
	return strings.Join(parts, "`")
}

func escapePlain(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch r {
		case '\\', '*', '[', ']', '~':
			b.WriteByte('\\')
		case '_':
			if i == 0 || i == len(s)-1 || !wordByte(s[i-1]) || !wordByte(s[i+1]) {
				b.WriteByte('\\')
			}
		case '#', '>', '+', '-':
			if i == 0 && (len(s) == 1 || s[1] == ' ' || r == '#' || r == '>') {
				b.WriteByte('\\')
			}
		case '<':
			b.WriteString("&lt;")
			continue
		case '&':
			b.WriteString("&amp;")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// slug is the anchor that Markdown viewers give a heading.
func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			b.WriteRune(r)
		}
	}
	return b.String()
}
