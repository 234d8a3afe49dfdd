package fieldset

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// ErrFieldsV1 says that bytes are no FieldsV1.
var ErrFieldsV1 = errors.New("it is not FieldsV1")

// Count says how many fields of the set are in fields too, which are FieldsV1. Only those parts of
// fields are looked at that the set has something in. The rest need not even be right, and what
// comes behind the last of them is not read.
func Count(fields []byte, s *Set) (int, error) {
	if s.Empty() {
		return 0, nil
	}
	r := reader{data: fields}
	n, _, err := r.count(s, true)
	return n, err
}

// None says whether there is no field in fields.
func None(fields []byte) bool {
	fields = bytes.TrimSpace(fields)
	r := reader{data: fields}
	return len(fields) == 0 || r.next('{') && r.next('}') && r.at == len(fields)
}

// reader goes through FieldsV1, objects in objects.
type reader struct {
	data []byte
	at   int
}

// count counts the fields below s. member says that the object stands for a field itself, and not
// only for some below it. last says that nobody reads on behind the object.
func (r *reader) count(s *Set, last bool) (n int, member bool, err error) {
	if !r.next('{') {
		return 0, false, ErrFieldsV1
	}
	if r.next('}') {
		return 0, true, nil
	}
	below, found := false, 0
	last = last && !s.member // which may be said at the end
	for {
		name, plain := r.string()
		if name == nil || !r.next(':') {
			return 0, false, ErrFieldsV1
		}
		var child *Set
		if string(name) == "." {
			member = true
		} else {
			below = true
			child = s.find(name, plain)
		}
		if child == nil {
			if !r.skip() {
				return 0, false, ErrFieldsV1
			}
		} else {
			found++
			all := last && found == len(s.children)
			inner, is, err := r.count(child, all)
			if err != nil {
				return 0, false, err
			}
			if n += inner; is && child.member {
				n++
			}
			if all {
				return n, member, nil
			}
		}
		if r.next(',') {
			continue
		}
		if !r.next('}') {
			return 0, false, ErrFieldsV1
		}
		return n, member || !below, nil
	}
}

// find returns the child that a name in FieldsV1 stands for; nil for none. plain says that nothing
// in it is escaped.
func (s *Set) find(name []byte, plain bool) *Set {
	if plain && len(name) > 2 && name[0] == 'f' && name[1] == ':' {
		return s.field(string(name[2:]))
	}
	var text string
	if json.Unmarshal(append(append([]byte{'"'}, name...), '"'), &text) != nil {
		return nil
	}
	if field, ok := strings.CutPrefix(text, "f:"); ok {
		return s.field(field)
	}
	if !s.hasItems() {
		return nil
	}
	element, err := fieldpath.DeserializePathElement(text)
	if err != nil {
		return nil
	}
	return s.listItem(element)
}

// field returns the child that is a field with a name. One of many is found by their order, so that
// to find each of them does not take the square of their number.
func (s *Set) field(name string) *Set {
	if len(s.children) > few {
		return s.search(&Set{name: name})
	}
	for _, child := range s.children {
		if child.item == nil && child.name == name {
			return child
		}
	}
	return nil
}

// listItem is field for an item.
func (s *Set) listItem(element fieldpath.PathElement) *Set {
	if len(s.children) > few {
		return s.search(&Set{item: &element})
	}
	for _, child := range s.children {
		if child.item != nil && child.item.Equals(element) {
			return child
		}
	}
	return nil
}

// search returns the child that is called like another one.
func (s *Set) search(like *Set) *Set {
	i, ok := slices.BinarySearchFunc(s.sorted(), like, order)
	if !ok {
		return nil
	}
	return s.children[i]
}

// hasItems says whether there are items among the children. Where there are many, they come behind
// the fields.
func (s *Set) hasItems() bool {
	if last := len(s.children) - 1; last >= few {
		return s.sorted()[last].item != nil
	}
	return slices.ContainsFunc(s.children, func(child *Set) bool { return child.item != nil })
}

// next goes past a byte, and the white space before it, if it is next.
func (r *reader) next(c byte) bool {
	for r.at < len(r.data) {
		switch b := r.data[r.at]; b {
		case ' ', '\t', '\n', '\r':
			r.at++
		case c:
			r.at++
			return true
		default:
			return false
		}
	}
	return false
}

// string reads a string, without its quotes; nil if there is none.
func (r *reader) string() (text []byte, plain bool) {
	if !r.next('"') {
		return nil, false
	}
	start := r.at
	plain = true
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case '\\':
			plain = false
			r.at += 2
		case '"':
			r.at++
			return r.data[start : r.at-1], plain
		default:
			r.at++
		}
	}
	return nil, false
}

// skip goes past an object.
func (r *reader) skip() bool {
	if !r.next('{') {
		return false
	}
	for depth := 1; depth > 0; {
		if r.at >= len(r.data) {
			return false
		}
		switch r.data[r.at] {
		case '{':
			depth++
		case '}':
			depth--
		case '"':
			if text, _ := r.string(); text == nil {
				return false
			}
			continue
		}
		r.at++
	}
	return true
}
