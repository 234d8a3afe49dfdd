// Package tagvalue reads the values that markers of controller-gen give, as JSON, like what stands
// behind kubebuilder:default. All plug-ins read them by it, so that what is published is what is
// set.
//
// A value is JSON, or in a form of its own that needs no quotes: text, {a, b} or a;b for lists,
// {key: value} for objects. Start reading at Read. The package knows no Go types: the JSON type of
// what a value is for decides how to read what could be several things.
package tagvalue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Read is a value as JSON. kind is the JSON type of what it is for, "" if that is not known.
func Read(text, kind string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if kind == "string" && !quoted(text) {
		return quote(text), nil
	}
	value := json.RawMessage(text)
	if !json.Valid(value) || kind == "array" && text == "{}" {
		r := reader{text: text}
		value = r.value(kind, "")
		if r.rest() != "" || r.wrong != "" {
			return nil, fmt.Errorf("%s can't be read: %s", text, cmp.Or(r.wrong, "there is more behind its end"))
		}
	}
	return value, Fits(value, kind)
}

// Fits says in an error why a JSON value is not of a JSON type; null is of each.
func Fits(value json.RawMessage, kind string) error {
	got := jsonType(value)
	if kind == "" || got == kind || got == "null" || got == "integer" && kind == "number" {
		return nil
	}
	return fmt.Errorf("%s is %s, want %s", value, Article(got), Article(kind))
}

// Article is a JSON type with its article.
func Article(kind string) string {
	if strings.ContainsRune("aeio", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

func jsonType(value json.RawMessage) string {
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return "unknown"
	}
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

// quoted says whether text begins and ends with the same quote.
func quoted(text string) bool {
	return len(text) >= 2 && strings.ContainsRune("\"`'", rune(text[0])) && text[0] == text[len(text)-1]
}

// Bare is text without the quotes around it.
func Bare(text string) string {
	text = strings.TrimSpace(text)
	if !quoted(text) {
		return text
	}
	if s, err := strconv.Unquote(text); err == nil && text[0] != '\'' {
		return s
	}
	return text[1 : len(text)-1]
}

// quote is text as a JSON string, without the quotes that it has already.
func quote(text string) json.RawMessage { return Quote(Bare(text)) }

// Quote is text as a JSON string.
func Quote(text string) json.RawMessage {
	out, err := Encode(text)
	if err != nil {
		panic(err) // impossible: it is a string
	}
	return out
}

// Encode is v as JSON with < and > as they are.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// pieces cuts text at the separator outside quotes and brackets.
func pieces(text string, separator byte) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range unquoted(text) {
		switch {
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case strings.IndexByte("}])", c) >= 0:
			depth--
		case c == separator && depth == 0:
			out, from = append(out, text[from:i]), i+1
		}
	}
	return append(out, text[from:])
}

// unquoted are the bytes of text outside quotes, and where they are. An apostrophe that no other
// one follows is no quote.
func unquoted(text string) iter.Seq2[int, byte] {
	return func(yield func(int, byte) bool) {
		var open byte
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case open == '"' && c == '\\':
				i++
			case open != 0:
				if c == open {
					open = 0
				}
			case c == '"' || c == '`' || c == '\'' && strings.IndexByte(text[i+1:], '\'') >= 0:
				open = c
			case !yield(i, c):
				return
			}
		}
	}
}

// reader reads the form of markers.
type reader struct {
	text  string
	wrong string // what was wrong first
}

func (r *reader) rest() string { return strings.TrimSpace(r.text) }

// value reads up to one of the ends, or to the end of the text if there is none.
func (r *reader) value(kind, ends string) json.RawMessage {
	r.text = strings.TrimLeft(r.text, " \t")
	if strings.HasPrefix(r.text, "{") {
		return r.braces(kind)
	}
	if ends == "" && len(pieces(r.text, ';')) > 1 {
		return r.list(strings.Join(pieces(r.text, ';'), ","), "")
	}
	item := r.text
	for i := range ends {
		if first := pieces(item, ends[i])[0]; len(first) < len(item) {
			item = first
		}
	}
	if end := unbalanced(item); end >= 0 && ends != "" {
		item = item[:end]
	}
	r.text = r.text[len(item):]
	item = strings.TrimSpace(item)
	if json.Valid([]byte(item)) {
		return json.RawMessage(item)
	}
	return quote(item)
}

// unbalanced is where a brace closes that was not opened; -1 if none does.
func unbalanced(text string) int {
	depth := 0
	for i, c := range unquoted(text) {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// braces reads {a, b} or {key: value}.
func (r *reader) braces(kind string) json.RawMessage {
	end := unbalanced(r.text[1:])
	if end < 0 {
		r.fail("a { is not closed")
		return json.RawMessage("null")
	}
	inner, rest := strings.TrimSpace(r.text[1:end+1]), r.text[end+2:]
	r.text = rest
	isObject := kind == "object" || kind != "array" && (inner == "" || len(pieces(pieces(inner, ',')[0], ':')) > 1)
	if isObject {
		return r.object(inner)
	}
	return r.list(inner, rest)
}

// list reads the items between commas, and goes on at rest.
func (r *reader) list(inner, rest string) json.RawMessage {
	r.text = rest
	items := []json.RawMessage{}
	if inner != "" {
		for _, piece := range pieces(inner, ',') {
			items = append(items, r.item(piece, items))
		}
	}
	return r.encode(items)
}

// item reads the next item of a list. All are text if the first is: {a, 1} is two texts.
func (r *reader) item(text string, before []json.RawMessage) json.RawMessage {
	if len(before) > 0 && jsonType(before[0]) == "string" && !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return quote(text)
	}
	return r.nested(text)
}

func (r *reader) object(inner string) json.RawMessage {
	fields := map[string]json.RawMessage{}
	if inner == "" {
		return json.RawMessage("{}")
	}
	for _, piece := range pieces(inner, ',') {
		key, value := pieces(piece, ':')[0], ""
		if len(key) == len(piece) {
			r.fail(fmt.Sprintf("%q has no colon", strings.TrimSpace(piece)))
			return json.RawMessage("null")
		}
		value = piece[len(key)+1:]
		fields[Bare(key)] = r.nested(value)
	}
	return r.encode(fields)
}

// nested reads a value inside another.
func (r *reader) nested(text string) json.RawMessage {
	inner := reader{text: text}
	v := inner.value("", ",")
	if inner.wrong != "" || inner.rest() != "" {
		r.fail(cmp.Or(inner.wrong, fmt.Sprintf("%q is out of place", inner.rest())))
	}
	return v
}

func (r *reader) fail(message string) {
	if r.wrong == "" {
		r.wrong = message
	}
}

func (r *reader) encode(v any) json.RawMessage {
	if r.wrong != "" {
		return json.RawMessage("null")
	}
	out, err := Encode(v)
	if err != nil {
		r.fail(err.Error())
		return json.RawMessage("null")
	}
	return out
}

// Items reads the items of an enum: a;b, {a,b}, or a JSON list.
func Items(text, kind string) ([]json.RawMessage, error) {
	items := pieces(text, ';')
	if inner, ok := strings.CutPrefix(text, "{"); ok && strings.HasSuffix(inner, "}") {
		items = pieces(strings.TrimSuffix(inner, "}"), ',')
	} else if strings.HasPrefix(text, "[") {
		return JSONItems(text, kind)
	}
	var out []json.RawMessage
	for _, item := range items {
		if item = strings.TrimSpace(item); item == "" {
			return nil, fmt.Errorf(`an item is empty; the empty string is ""`)
		}
		v, err := Read(item, kind)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func fitAll(items []json.RawMessage, kind string) error {
	i := slices.IndexFunc(items, func(v json.RawMessage) bool { return Fits(v, kind) != nil })
	if i < 0 {
		return nil
	}
	return Fits(items[i], kind)
}

// JSONItems reads the values of an enum that is JSON.
func JSONItems(text, kind string) ([]json.RawMessage, error) {
	var out []json.RawMessage
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, fmt.Errorf("%s is not a JSON list", text)
	}
	return out, fitAll(out, kind)
}
