package transcode

import (
	"fmt"
	"strings"
)

// Part is a field as it lies in the bytes of a message.
type Part struct {
	// Path is where JSON has it, like spec.authors[1] or metadata.labels[team]. What JSON does not
	// have is named by its number, like spec.#9.
	Path string
	// Begin is where its tag begins, Value where what it holds does, and End is behind it.
	Begin, Value, End int
}

// Parts names the fields in the bytes of a message, in their order. One that holds others comes
// before these. It is for people who look at bytes: nothing that has to be fast calls it. An error
// says where the bytes are no message; the parts are those before.
func (m *Message) Parts(message []byte) ([]Part, error) {
	p := dissection{data: message}
	err := p.message(m, "", 0, len(message), 0)
	return p.parts, err
}

// dissection is one call of Parts.
type dissection struct {
	data  []byte
	parts []Part
}

func (p *dissection) message(m *Message, path string, i, end, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	items := map[uint32]int{} // how many there were of a tag
	for i < end {
		tag, value, next, ok := field(p.data[:end], i)
		if !ok {
			return fmt.Errorf("%w at byte %d", errMalformed, i)
		}
		f := m.member(tag)
		at := p.path(m, f, path, tag, items[tag], p.data[value:next])
		items[tag]++
		p.parts = append(p.parts, Part{at, i, value, next})
		if below := f.below(); below != nil {
			if err := p.message(below, at, value, next, depth+1); err != nil {
				return err
			}
		}
		i = next
	}
	return nil
}

// path is that of a field in a message at path.
func (p *dissection) path(m *Message, f *Member, path string, tag uint32, item int, body []byte) string {
	switch {
	case f == nil || f.Form == Hidden:
		return join(path, fmt.Sprintf("#%d", tag>>3))
	case f.Form == Inline || m.List:
	default:
		path = join(path, strings.Trim(f.Name, `,":`))
	}
	switch {
	case f.Rule&Map != 0:
		return path + "[" + keyOf(body) + "]"
	case f.Rule&List != 0:
		return fmt.Sprintf("%s[%d]", path, item)
	}
	return path
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// member is the field with a tag, nil for one that the type does not have.
func (m *Message) member(tag uint32) *Member {
	for k := range m.Members {
		if m.Members[k].Tag == tag {
			return &m.Members[k]
		}
	}
	return nil
}

// below says of what type the message in a field is, nil if there is none, or none with a table.
func (f *Member) below() *Message {
	if f == nil || f.Form != Struct && f.Form != Inline && f.Form != Metadata || f.Of.Decode != nil {
		return nil
	}
	if f.Rule&Map == 0 {
		return f.Of
	}
	return &Message{Members: []Member{
		{Name: `,"key":`, Tag: 1<<3 | wireBytes, Form: Text},
		{Tag: 2<<3 | wireBytes, Form: Inline, Of: f.Of},
	}}
}

// keyOf is the key of an entry of a map.
func keyOf(entry []byte) string {
	if tag, value, next, ok := field(entry, 0); ok && tag == 1<<3|wireBytes {
		return string(entry[value:next])
	}
	return "" // an empty key may be left out
}

// field finds the field at i: what it holds is from value to next.
func field(data []byte, i int) (tag uint32, value, next int, ok bool) {
	v, value := varint(data, i)
	if value < 0 || v >= endTag {
		return 0, 0, 0, false
	}
	switch tag = uint32(v); tag & 7 {
	case 0:
		_, next = varint(data, value)
	case 1:
		next = value + 8
	case wireBytes:
		size, begin := varint(data, value)
		if begin < 0 || size > uint64(len(data)-begin) {
			return 0, 0, 0, false
		}
		value, next = begin, begin+int(size)
	case 5:
		next = value + 4
	default:
		return 0, 0, 0, false
	}
	return tag, value, next, next >= value && next <= len(data)
}
