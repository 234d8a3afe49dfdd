package fieldset

import (
	"encoding/json"
	"errors"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// ErrOrder says that FieldsV1 are not in the order in which structured-merge-diff writes them.
var ErrOrder = errors.New("it is not FieldsV1 in their order")

// memberName is what stands in FieldsV1 for a field that has others below it.
const memberName = `".":{}`

// Without appends fields, which are FieldsV1, without those of the set. What the set has nothing in
// is copied as it stands, and need not even be right. Nothing that is owned is "{}".
func Without(dst, fields []byte, s *Set) ([]byte, error) {
	e := editor{reader: reader{data: fields}, dst: dst}
	some, err := e.without(s)
	if err != nil {
		return dst, err
	}
	if !some {
		e.dst = append(e.dst, "{}"...)
	}
	return e.dst, nil
}

// With appends fields, which are FieldsV1, with those of the set. What the set has nothing in is
// copied as it stands. It fails with ErrOrder if fields are in another order than
// structured-merge-diff writes, where something has to find its place.
func With(dst, fields []byte, s *Set) ([]byte, error) {
	e := editor{reader: reader{data: fields}, dst: dst}
	if None(fields) {
		err := e.append(s)
		return e.dst, err
	}
	if err := e.with(s); err != nil {
		return dst, err
	}
	return e.dst, nil
}

// editor goes through FieldsV1 and appends what becomes of them.
type editor struct {
	reader
	dst []byte
}

// without copies the object that comes next, but for the fields of the set. It appends nothing if
// nothing is left.
func (e *editor) without(s *Set) (some bool, err error) {
	if !e.next('{') {
		return false, ErrFieldsV1
	}
	if e.next('}') {
		if !s.member {
			e.dst = append(e.dst, "{}"...)
		}
		return !s.member, nil
	}
	start, member, below := len(e.dst), false, false
	for {
		from := e.at
		name, plain := e.string()
		if name == nil || !e.next(':') {
			return false, ErrFieldsV1
		}
		self := string(name) == "."
		var child *Set
		if !self {
			child = s.find(name, plain)
		}
		back := len(e.dst)
		e.separate(start)
		switch {
		case child != nil:
			e.dst = append(e.dst, e.data[from:e.at]...)
			some, err := e.without(child)
			if err != nil {
				return false, err
			}
			if below = below || some; !some {
				e.dst = e.dst[:back]
			}
		case !e.skip():
			return false, ErrFieldsV1
		case self && s.member:
			e.dst = e.dst[:back]
		default:
			e.dst = append(e.dst, e.data[from:e.at]...)
			member, below = member || self, below || !self
		}
		if e.next(',') {
			continue
		}
		if !e.next('}') {
			return false, ErrFieldsV1
		}
		break
	}
	switch {
	case below:
		e.dst = append(e.dst, '}')
	case member: // with nothing below it any more
		e.dst = append(e.dst[:start], "{}"...)
	}
	return below || member, nil
}

// with copies the object that comes next, and the fields of the set to their places in it.
func (e *editor) with(s *Set) error {
	if !e.next('{') {
		return ErrFieldsV1
	}
	more := s.sorted()
	start := len(e.dst)
	if e.next('}') {
		return e.append(&Set{member: true, ordered: true, children: more})
	}
	member := s.member
	e.separate(start)
	if member {
		e.dst = append(e.dst, memberName...)
	}
	var last *Set
	for first := true; ; first = false {
		from := e.at
		name, plain := e.string()
		if name == nil || !e.next(':') {
			return ErrFieldsV1
		}
		if string(name) == "." {
			if !first {
				return ErrOrder
			}
			if !e.skip() {
				return ErrFieldsV1
			}
			if !member {
				e.dst = append(e.dst, memberName...)
			}
		} else {
			here, err := named(name, plain)
			if err != nil {
				return err
			}
			if last != nil && order(last, here) >= 0 {
				return ErrOrder
			}
			last = here
			for len(more) > 0 && order(more[0], here) < 0 {
				e.separate(start)
				if err := e.appendChild(more[0]); err != nil {
					return err
				}
				more = more[1:]
			}
			e.separate(start)
			if len(more) > 0 && order(more[0], here) == 0 {
				e.dst = append(e.dst, e.data[from:e.at]...)
				if err := e.with(more[0]); err != nil {
					return err
				}
				more = more[1:]
			} else {
				if !e.skip() {
					return ErrFieldsV1
				}
				e.dst = append(e.dst, e.data[from:e.at]...)
			}
		}
		if e.next(',') {
			continue
		}
		if !e.next('}') {
			return ErrFieldsV1
		}
		break
	}
	for _, child := range more {
		e.separate(start)
		if err := e.appendChild(child); err != nil {
			return err
		}
	}
	e.dst = append(e.dst, '}')
	return nil
}

// separate appends what comes before a member of the object that begins at start.
func (e *editor) separate(start int) {
	switch {
	case len(e.dst) == start:
		e.dst = append(e.dst, '{')
	case len(e.dst) > start+1:
		e.dst = append(e.dst, ',')
	}
}

func (e *editor) appendChild(child *Set) (err error) {
	if e.dst, err = child.appendName(e.dst); err != nil {
		return err
	}
	return e.append(child)
}

func (e *editor) append(s *Set) (err error) {
	e.dst, err = s.AppendJSON(e.dst)
	return err
}

// named is a set with the name of a member of FieldsV1, and nothing else.
func named(name []byte, plain bool) (*Set, error) {
	if plain && len(name) > 2 && name[0] == 'f' && name[1] == ':' {
		return &Set{name: string(name[2:])}, nil
	}
	var text string
	if json.Unmarshal(append(append([]byte{'"'}, name...), '"'), &text) != nil {
		return nil, ErrFieldsV1
	}
	element, err := fieldpath.DeserializePathElement(text)
	if err != nil {
		return nil, ErrFieldsV1
	}
	if element.FieldName != nil {
		return &Set{name: *element.FieldName}, nil
	}
	return &Set{item: &element}, nil
}
