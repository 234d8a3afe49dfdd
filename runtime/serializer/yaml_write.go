package serializer

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// maxYAMLIndent is the indentation from which on values are written in one line, because the
	// indentation of deeply nested objects grows by the square of their depth.
	maxYAMLIndent = 128
	// maxYAMLKey is the longest key without a "?" before it. Parsers look for the colon within
	// 1,024 characters.
	maxYAMLKey = 1000
)

var errNotJSON = errors.New("can't write YAML: the object's JSON is malformed")

// AppendYAML appends the JSON value in data to dst, as YAML in block style that ends in a newline.
// The keys of objects are sorted. All lines but the first are indented by so many spaces. Parsers
// read the same document as from the YAML of sigs.k8s.io/yaml, which is an order of magnitude
// slower. The error is for malformed JSON.
func AppendYAML(dst, data []byte, indent int) ([]byte, error) {
	w := yamlWriters.Get().(*yamlWriter)
	defer yamlWriters.Put(w)
	w.json, w.nodes, w.order = string(data), w.nodes[:0], w.order[:0] // keys and values are parts of one copy
	defer func() { w.json = ""; clear(w.nodes) }()
	root, end := w.parse(0)
	if root < 0 || w.space(end) != len(data) {
		return dst, errNotJSON
	}
	if w.inLine(root, indent) {
		return append(w.scalar(dst, root, indent+2), '\n'), nil
	}
	return w.block(dst, root, indent, true), nil
}

var yamlWriters = sync.Pool{New: func() any { return new(yamlWriter) }}

// yamlWriter holds the values of one JSON document.
type yamlWriter struct {
	json  string
	nodes []yamlNode
	order []int32 // the children of the objects and arrays that are being written
}

// yamlNode is a value. Its children, if it is an object or an array, are a list that begins with
// child and continues with next; -1 ends it.
type yamlNode struct {
	key         string // in an object
	begin, end  int    // in the JSON
	child, next int32
}

func (w *yamlWriter) space(i int) int {
	for i < len(w.json) && (w.json[i] == ' ' || w.json[i] == '\n' || w.json[i] == '\t' || w.json[i] == '\r') {
		i++
	}
	return i
}

// parse reads the value at i. It returns the value, -1 for none, and the index behind it.
func (w *yamlWriter) parse(i int) (node int32, end int) {
	i = w.space(i)
	if i == len(w.json) {
		return -1, i
	}
	node = int32(len(w.nodes))
	w.nodes = append(w.nodes, yamlNode{begin: i, child: -1, next: -1})
	switch c := w.json[i]; c {
	case '{', '[':
		end = w.parseChildren(node, i, c+2) // '}' or ']'
	case '"':
		end = w.stringEnd(i)
	default:
		end = len(w.json)
		if n := strings.IndexAny(w.json[i:], " \n\t\r,:]}"); n >= 0 {
			end = i + n
		}
		if !json.Valid([]byte(w.json[i:end])) {
			return -1, end
		}
	}
	w.nodes[node].end = end
	if end < 0 {
		return -1, end
	}
	return node, end
}

// parseChildren reads an object or array, and returns the index behind it, -1 for malformed JSON.
func (w *yamlWriter) parseChildren(parent int32, i int, closing byte) int {
	last := int32(-1)
	for {
		i = w.space(i + 1)
		if i < len(w.json) && w.json[i] == closing && last < 0 {
			return i + 1
		}
		key := ""
		if closing == '}' {
			end := w.stringEnd(i)
			if end < 0 {
				return -1
			}
			key = unquoteJSON(w.json[i:end])
			if i = w.space(end); i == len(w.json) || w.json[i] != ':' {
				return -1
			}
			i++
		}
		child, end := w.parse(i)
		if child < 0 {
			return -1
		}
		w.nodes[child].key = key
		if last < 0 {
			w.nodes[parent].child = child
		} else {
			w.nodes[last].next = child
		}
		last = child
		switch i = w.space(end); {
		case i < len(w.json) && w.json[i] == ',':
		case i < len(w.json) && w.json[i] == closing:
			return i + 1
		default:
			return -1
		}
	}
}

// stringEnd returns the index behind the string at i, -1 if there is none.
func (w *yamlWriter) stringEnd(i int) int {
	if i >= len(w.json) || w.json[i] != '"' {
		return -1
	}
	for i++; i < len(w.json); i++ {
		switch w.json[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

func unquoteJSON(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text[1 : len(text)-1]
	}
	var s string
	_ = json.Unmarshal([]byte(text), &s) // a malformed escape is ""
	return s
}

// inLine reports whether a value is written in the line where it begins.
func (w *yamlWriter) inLine(node int32, indent int) bool {
	return w.nodes[node].child < 0 || indent >= maxYAMLIndent
}

// children returns the children of a value, those of an object by their keys. They lie at the end
// of w.order; the caller must remove them.
func (w *yamlWriter) children(node int32) []int32 {
	begin := len(w.order)
	for c := w.nodes[node].child; c >= 0; c = w.nodes[c].next {
		w.order = append(w.order, c)
	}
	all := w.order[begin:]
	if w.json[w.nodes[node].begin] == '{' {
		slices.SortFunc(all, func(a, b int32) int { return cmp.Compare(w.nodes[a].key, w.nodes[b].key) })
	}
	return all
}

// block writes an object or array that is not empty. begun is set if the indentation of the first
// line is there.
func (w *yamlWriter) block(dst []byte, node int32, indent int, begun bool) []byte {
	object, before := w.json[w.nodes[node].begin] == '{', len(w.order)
	for _, c := range w.children(node) {
		if !begun {
			dst = appendSpaces(dst, indent)
		}
		begun = false
		deeper := indent + 2
		if object {
			dst = w.key(dst, c, indent)
			if w.json[w.nodes[c].begin] == '[' && !w.inLine(c, deeper) {
				deeper = indent
			}
		} else {
			dst = append(dst, '-')
		}
		switch {
		case w.inLine(c, deeper):
			dst = append(w.scalar(append(dst, ' '), c, deeper), '\n')
		case object:
			dst = w.block(append(dst, '\n'), c, deeper, false)
		default:
			dst = w.block(append(dst, ' '), c, deeper, true)
		}
	}
	w.order = w.order[:before]
	return dst
}

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// key writes the key of a value and its colon. indent is negative within a line.
func (w *yamlWriter) key(dst []byte, node int32, indent int) []byte {
	key, begin := w.nodes[node].key, len(dst)
	if dst = appendYAMLKey(dst, key, indent); len(dst)-begin <= maxYAMLKey {
		return append(dst, ':')
	}
	dst = appendYAMLKey(append(dst[:begin], "? "...), key, indent)
	if indent < 0 {
		return append(dst, " :"...)
	}
	return append(appendSpaces(append(dst, '\n'), indent), ':')
}

func appendYAMLKey(dst []byte, key string, indent int) []byte {
	if indent >= 0 && plainYAML(key) {
		return append(dst, key...)
	}
	return strconv.AppendQuote(dst, key)
}

// scalar writes a value that is no object or array, or is empty or deep.
func (w *yamlWriter) scalar(dst []byte, node int32, indent int) []byte {
	n := w.nodes[node]
	if n.child >= 0 {
		return w.flow(dst, node)
	}
	switch text := w.json[n.begin:n.end]; text[0] {
	case '"':
		return appendYAMLString(dst, text, indent)
	case '{':
		return append(dst, "{}"...)
	case '[':
		return append(dst, "[]"...)
	default:
		return append(dst, text...)
	}
}

// flow writes an object or array in one line.
func (w *yamlWriter) flow(dst []byte, node int32) []byte {
	open, before := w.json[w.nodes[node].begin], len(w.order)
	for i, c := range w.children(node) {
		if i == 0 {
			dst = append(dst, open)
		} else {
			dst = append(dst, ", "...)
		}
		if open == '{' {
			dst = append(w.key(dst, c, -1), ' ')
		}
		dst = w.scalar(dst, c, -1)
	}
	w.order = w.order[:before]
	return append(dst, open+2)
}

// appendYAMLString writes a string of JSON: on lines of its own if it has several, else in quotes
// if YAML would take it for another thing. indent is negative within a line.
func appendYAMLString(dst []byte, text string, indent int) []byte {
	s := unquoteJSON(text)
	switch {
	case indent >= 0 && plainYAML(s):
		return append(dst, s...)
	case indent < 0 || !literalYAML(s):
		return strconv.AppendQuote(dst, s)
	}
	dst = append(dst, '|')
	s, ends := strings.CutSuffix(s, "\n")
	if !ends {
		dst = append(dst, '-')
	}
	for line := range strings.SplitSeq(s, "\n") {
		if dst = append(dst, '\n'); line != "" {
			dst = append(appendSpaces(dst, indent), line...)
		}
	}
	return dst
}

// plainYAML reports whether every reader takes s without quotes for a string. It is careful: some
// others could be without quotes, too.
func plainYAML(s string) bool {
	if s == "" || !beginsPlain(s) {
		return false
	}
	for i, r := range s {
		switch {
		case r == ' ' || r == ':':
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '#' {
				return false
			}
		case r < ' ' || r > '~' && !strconv.IsPrint(r):
			return false
		}
	}
	return len(s) > 5 || !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "<<"}, strings.ToLower(s))
}

// beginsPlain reports whether the beginning of s, which is not empty, can be that of a string
// without quotes. What begins with a digit may be a number or a time, which have at most one dot
// and two dashes, or colons, and few letters.
func beginsPlain(s string) bool {
	if '0' <= s[0] && s[0] <= '9' {
		return !strings.Contains(s, ":") && (strings.Count(s, "-") > 2 || strings.Count(s, ".") > 1 || strings.ContainsAny(s, "ghijklmnpqrsuvwyGHIJKLMNPQRSUVWY"))
	}
	return isLetter(s[0]) || s[0] >= utf8.RuneSelf || strings.IndexByte("/$(<;^_", s[0]) >= 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// literalYAML reports whether s has several lines that can stand as they are.
func literalYAML(s string) bool {
	if !strings.Contains(s, "\n") || strings.HasSuffix(s, "\n\n") || strings.IndexByte(" \t\n", s[0]) >= 0 {
		return false
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}
