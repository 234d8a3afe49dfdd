package defaulter

import (
	"encoding/json"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// reference reads "ref(Name)" and "ref(import/path.Name)".
func (w written) reference() (types.Name, bool) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(w.text), "ref(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return types.Name{}, false
	}
	name := types.ParseFullyQualifiedName(strings.TrimSuffix(inner, ")"))
	if name.Package == "" {
		name.Package = w.pkg
	}
	return name, true
}

// json returns the default as JSON. A +default is JSON; the kubebuilder marker may be written in
// its own way too.
func (w written) json(t *types.Type) (json.RawMessage, error) {
	text := strings.TrimSpace(w.text)
	ofList := w.tag == kubebuilderName && isList(t)
	if ofList && text == "{}" {
		return json.RawMessage("[]"), nil
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	if w.tag != kubebuilderName {
		return nil, wrongf("want JSON, like +%s=%s", w.tag, example(t))
	}
	m := marker{rest: text, bare: true}
	read := m.value
	if ofList && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		read = m.several
	}
	v, ok := read()
	if !ok || m.rest != "" {
		return nil, wrongf("want a value, like +%s=%s", w.tag, example(t))
	}
	raw, err := json.Marshal(v)
	return raw, err
}

// marker reads a value the way kubebuilder's markers are written: bare words and strings in any
// quotes, lists in braces, maps in braces with bare keys.
type marker struct {
	rest string
	bare bool // a bare word may hold commas and braces, because it is the whole value
}

func (m *marker) value() (any, bool) {
	m.skipSpace()
	if m.rest == "" {
		return nil, false
	}
	switch m.rest[0] {
	case '"', '`', '\'':
		return m.quoted()
	case '{', '[':
		m.bare = false
		return m.braced()
	}
	word := m.word()
	if json.Valid([]byte(word)) {
		return json.RawMessage(word), true
	}
	return word, word != ""
}

// several reads "a;b".
func (m *marker) several() (any, bool) {
	m.bare = false
	list := []any{}
	for {
		v, ok := m.value()
		if !ok {
			return nil, false
		}
		if list = append(list, v); !strings.HasPrefix(m.rest, ";") {
			return list, true
		}
		m.rest = m.rest[1:]
	}
}

// isList tells whether a type is one of lists, and not of bytes.
func isList(t *types.Type) bool {
	u := model.Plain(t)
	return u.Kind == types.Array || u.Kind == types.Slice && u.Elem != types.Byte
}

func (m *marker) quoted() (any, bool) {
	quote := m.rest[0]
	for i := 1; i < len(m.rest); i++ {
		switch {
		case m.rest[i] == '\\' && quote == '"':
			i++
		case m.rest[i] == quote:
			text := m.rest[1:i]
			if quote == '"' {
				var err error
				if text, err = strconv.Unquote(m.rest[:i+1]); err != nil {
					return nil, false
				}
			}
			m.rest = m.rest[i+1:]
			m.skipSpace()
			return text, true
		}
	}
	return nil, false
}

// braced reads "{a, b}", "[a, b]" or "{a: b}".
func (m *marker) braced() (any, bool) {
	end := map[byte]byte{'{': '}', '[': ']'}[m.rest[0]]
	m.rest = m.rest[1:]
	list, entries := []any{}, map[string]any{}
	for m.skipSpace(); m.rest != "" && m.rest[0] != end; m.skipSpace() {
		v, ok := m.value()
		if !ok {
			return nil, false
		}
		if strings.HasPrefix(m.rest, ":") {
			key, isText := v.(string)
			m.rest = m.rest[1:]
			if entries[key], ok = m.value(); !ok || !isText {
				return nil, false
			}
		} else {
			list = append(list, v)
		}
		if m.rest != "" && (m.rest[0] == ',' || m.rest[0] == ';') {
			m.rest = m.rest[1:]
		}
	}
	if m.rest == "" || len(list) > 0 && len(entries) > 0 {
		return nil, false
	}
	m.rest = m.rest[1:]
	m.skipSpace()
	if len(entries) > 0 || end == '}' && len(list) == 0 {
		return entries, true
	}
	return list, true
}

func (m *marker) word() string {
	end := len(m.rest)
	if !m.bare {
		if i := strings.IndexAny(m.rest, ",;:{}[] "); i >= 0 {
			end = i
		}
	}
	word := m.rest[:end]
	m.rest = m.rest[end:]
	m.skipSpace()
	return word
}

func (m *marker) skipSpace() { m.rest = strings.TrimLeft(m.rest, " \t") }
