package openapi

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// columns is how long a line of printed JSON becomes before it is broken.
const columns = 120

// printed is v as JSON that people read: what fits into a line is not broken. When lines are
// broken, strings and numbers share lines, and each object or array has its own.
func printed(v any) []byte {
	text, err := tagvalue.Encode(v)
	if err != nil {
		panic(err) // impossible: every value of a tag was checked to be JSON when it was read
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var l layout
	l.print(read(d), 0, "")
	return l.text.Bytes()
}

// node is a value of JSON: a text, or what stands between brackets.
type node struct {
	name  string // with the colon, where it is a member of an object
	text  string // in one line
	open  string // the bracket that it begins with, "" for a text
	parts []node
}

// read reads one value; members of objects keep their order.
func read(d *json.Decoder) node {
	token, err := d.Token()
	if err != nil {
		panic(err) // impossible: it was just encoded
	}
	bracket, nested := token.(json.Delim)
	if !nested {
		text, err := tagvalue.Encode(token)
		if err != nil {
			panic(err) // impossible: it was just read
		}
		return node{text: string(text)}
	}
	n := node{open: bracket.String()}
	var texts []string
	for d.More() {
		name := ""
		if n.open == "{" {
			name = read(d).text + ": "
		}
		part := read(d)
		part.name = name
		n.parts, texts = append(n.parts, part), append(texts, name+part.text)
	}
	if _, err := d.Token(); err != nil {
		panic(err) // impossible: it was just encoded
	}
	n.text = n.open + strings.Join(texts, ", ") + n.close()
	return n
}

// close is the bracket that a value ends with.
func (n node) close() string {
	if n.open == "{" {
		return "}"
	}
	return "]"
}

// layout is JSON in lines.
type layout struct{ text bytes.Buffer }

// print prints a value that begins behind an indent, or behind what stands in the line already;
// after is what follows it.
func (l *layout) print(n node, indent int, after string) {
	l.text.WriteString(n.name)
	if n.open == "" || len(n.parts) == 0 || indent+width(n.name+n.text+after) <= columns {
		l.text.WriteString(n.text + after)
		return
	}
	l.text.WriteString(n.open)
	used := columns // of the line
	for i, part := range n.parts {
		comma := ","
		if i == len(n.parts)-1 {
			comma = ""
		}
		wanted := width(part.name + part.text + comma)
		if i > 0 && part.open == "" && n.parts[i-1].open == "" && used+1+wanted <= columns {
			l.text.WriteByte(' ')
			used += 1 + wanted
		} else {
			l.text.WriteString("\n" + strings.Repeat(" ", indent+2))
			used = indent + 2 + wanted
		}
		l.print(part, indent+2, comma)
	}
	l.text.WriteString("\n" + strings.Repeat(" ", indent) + n.close() + after)
}

func width(text string) int { return utf8.RuneCountInString(text) }
