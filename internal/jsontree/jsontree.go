// Package jsontree reads JSON as a tree of Go values, and writes such a tree.
//
// A tree is map[string]any, []any, string, bool, int64, uint64, float64 and nil. Numbers are
// integers where they are written so and fit, as apimachinery has them in unstructured objects;
// uint64 is for those that fit there only. Start reading at Read and Append.
package jsontree

import (
	"slices"
	"strconv"
	"strings"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// What the values of a tree cost about, in bytes, and how much all of them may: text of a few signs
// can be an empty map.
const (
	room      = 64 << 20
	costValue = 16
	costEntry = 48
	costMap   = 48
)

// Read reads an object, but for the members that skip names; nil names none. If a member is there
// twice, the last one counts. What would take too much memory is runtime/json's ErrTooLarge.
func Read(text []byte, skip func(name string) bool) (map[string]any, error) {
	p := parser{r: runtimejson.NewReader(text), room: room}
	tree := p.object(skip)
	return tree, p.err()
}

// ReadShared is Read of a text that never changes: strings are parts of it.
func ReadShared(text []byte) (map[string]any, error) {
	p := parser{r: runtimejson.NewReader(text).Shared(), room: room}
	tree := p.object(nil)
	return tree, p.err()
}

// ReadValue is Read for any value.
func ReadValue(text []byte) (any, error) {
	p := parser{r: runtimejson.NewReader(text), room: room}
	value := p.value()
	return value, p.err()
}

// ReadNumber reads a number.
func ReadNumber(text string) (any, error) {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return n, nil
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if n == 0 {
		return int64(0), err // also of -0.0, whose text -0 is an integer
	}
	return n, err
}

type parser struct {
	r      *runtimejson.Reader
	room   int
	failed error // of a number
}

func (p *parser) err() error {
	if err := p.r.Err(); err != nil {
		return err
	}
	return p.failed
}

func (p *parser) take(bytes int) {
	if p.room -= bytes; p.room < 0 {
		p.r.Fail(runtimejson.ErrTooLarge)
	}
}

func (p *parser) value() any {
	p.take(costValue)
	switch p.r.Peek() {
	case '{':
		return p.object(nil)
	case '[':
		list := []any{}
		runtimejson.ReadSlice(p.r, &list, "", func(_ *runtimejson.Reader, item *any) { *item = p.value() })
		return list
	case '"':
		var s string
		p.r.String(&s)
		return s
	case 't', 'f':
		var b bool
		p.r.Bool(&b)
		return b
	case 'n':
		p.r.Null()
		return nil
	}
	text := string(p.r.Raw())
	n, err := ReadNumber(text)
	if err != nil && text != "" && p.failed == nil {
		p.failed = err
	}
	return n
}

func (p *parser) object(skip func(name string) bool) map[string]any {
	p.take(costMap)
	object := map[string]any{}
	if !p.r.BeginObject("") {
		return object
	}
	for p.r.NextField("") {
		name := p.r.Key()
		if skip != nil && skip(name) {
			p.r.Raw()
			continue
		}
		p.take(costEntry)
		object[name] = p.value()
	}
	return object
}

// Append appends the JSON of a tree: compact, names sorted, HTML signs escaped.
func Append(dst []byte, value any) []byte {
	switch value := value.(type) {
	case map[string]any:
		var room [16]string
		dst = append(dst, '{')
		for i, name := range sortedNames(room[:0], value) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(runtimejson.AppendString(dst, name), ':')
			dst = Append(dst, value[name])
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, item := range value {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, item)
		}
		return append(dst, ']')
	case string:
		return runtimejson.AppendString(dst, value)
	case bool:
		return strconv.AppendBool(dst, value)
	case int64:
		return strconv.AppendInt(dst, value, 10)
	case uint64:
		return strconv.AppendUint(dst, value, 10)
	case float64:
		dst, _ = runtimejson.AppendFloat(dst, value) // no JSON has numbers that it refuses
		return dst
	}
	return append(dst, "null"...)
}

func sortedNames(names []string, object map[string]any) []string {
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
