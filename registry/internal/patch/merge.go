package patch

import (
	"bytes"
	"encoding/json"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// mergePatch is a JSON merge patch (RFC 7386), as clients know it from Kubernetes. A null removes a
// member, also from objects that are new, and from those in lists that are new or take the place of
// something else. What a patch does not name it copies as it stands, so a small patch of a large
// object costs little more than reading that once.
type mergePatch struct{ object *mergeObject }

// mergeObject is what an object of a patch wants to have changed.
type mergeObject struct {
	members []mergeMember // in the order of the patch, each name once
	index   map[string]int
}

// mergeMember is what is to become of one member: nothing (null), a merge with an object, or
// another value.
type mergeMember struct {
	key    []byte // quoted, with its colon
	null   bool
	object *mergeObject
	raw    []byte // the value as it was sent
	whole  []byte // raw without members that are null
}

// NewMerge reads a merge patch; strict are the fields that it has twice. The error is an API
// status.
func NewMerge(text []byte) (c Change, strict []error, err error) {
	if strict, err = ReadObject(text, new(map[string]any)); err != nil {
		return nil, nil, err
	}
	r := runtimejson.NewReader(text)
	object, err := readMergeObject(r)
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return nil, nil, Bad(err)
	}
	return mergePatch{object}, strict, nil
}

// readMergeObject reads an object. If a member is there twice, the last one counts.
func readMergeObject(r *runtimejson.Reader) (*mergeObject, error) {
	o := &mergeObject{index: map[string]int{}}
	r.BeginObject("")
	for r.NextField("") {
		name := string([]byte(r.Name()))
		m := mergeMember{key: append(runtimejson.AppendString(nil, name), ':')}
		var err error
		if r.AtObject() {
			m.object, err = readMergeObject(r)
		} else {
			m.raw = r.Raw()
			m.null = string(m.raw) == "null"
			m.whole, err = withoutNulls(m.raw)
		}
		if err != nil {
			return nil, err
		}
		if i, ok := o.index[name]; ok {
			o.members[i] = m
			continue
		}
		o.index[name] = len(o.members)
		o.members = append(o.members, m)
	}
	return o, nil
}

// withoutNulls takes the members that are null out of all objects in a list.
func withoutNulls(raw []byte) ([]byte, error) {
	if !bytes.HasPrefix(raw, []byte("[")) || !bytes.Contains(raw, []byte("null")) {
		return raw, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // to leave numbers as they are
	var list []any
	if err := decoder.Decode(&list); err != nil {
		return nil, err
	}
	prune(list)
	return runtimejson.AppendAny(nil, list)
}

func prune(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			prune(element)
		}
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
			}
			prune(member)
		}
	}
}

func (p mergePatch) Apply(current []byte) ([]byte, error) {
	r := runtimejson.NewReader(current)
	next := p.object.appendMerged(make([]byte, 0, len(current)+len(current)/8), r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return next, nil
}

// appendMerged appends what the object makes of the one that comes next.
func (o *mergeObject) appendMerged(dst []byte, r *runtimejson.Reader) []byte {
	seen := make([]bool, len(o.members))
	dst = append(dst, '{')
	r.BeginObject("")
	for r.NextField("") {
		name := r.Name()
		i, ok := o.index[name]
		if !ok {
			dst = append(runtimejson.AppendString(separate(dst), name), ':')
			dst = append(dst, r.Raw()...)
			continue
		}
		seen[i] = true
		m := &o.members[i]
		if m.null {
			r.Raw()
			continue
		}
		dst = append(separate(dst), m.key...)
		switch atObject := r.AtObject(); {
		case atObject && m.object != nil:
			dst = m.object.appendMerged(dst, r)
		case atObject:
			r.Raw()
			dst = append(dst, m.raw...)
		default:
			r.Raw()
			dst = m.appendNew(dst)
		}
	}
	for i := range o.members {
		if !seen[i] {
			dst = o.members[i].appendMember(dst)
		}
	}
	return append(dst, '}')
}

// appendMember appends a member that the object did not have.
func (m *mergeMember) appendMember(dst []byte) []byte {
	if m.null {
		return dst
	}
	return m.appendNew(append(separate(dst), m.key...))
}

// appendNew appends the value where there was no object before.
func (m *mergeMember) appendNew(dst []byte) []byte {
	if m.object == nil {
		return append(dst, m.whole...)
	}
	dst = append(dst, '{')
	for i := range m.object.members {
		dst = m.object.members[i].appendMember(dst)
	}
	return append(dst, '}')
}

// separate appends the comma before a member that is not the first of its object.
func separate(dst []byte) []byte {
	if dst[len(dst)-1] == '{' {
		return dst
	}
	return append(dst, ',')
}
