package fieldset

import (
	"bytes"
	"errors"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime/json"
)

// short is up to how many bytes structured-merge-diff reads FieldsV1 itself. What is in another
// order than it writes costs it the square of the length.
const short = 4 << 10

// Read reads FieldsV1, whose fields may be in any order. Of several with one name the last one
// counts.
func Read(fields []byte) (*fieldpath.Set, error) {
	if len(fields) <= short {
		set := fieldpath.NewSet()
		return set, set.FromJSON(bytes.NewReader(fields))
	}
	r, all := json.NewReader(fields), new(Set)
	all.read(r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return all.FieldSet(), nil
}

// read reads an object of FieldsV1. One that names nothing below it stands for a field.
func (s *Set) read(r *json.Reader) {
	if r.BeginObject("FieldsV1") {
		for r.NextField("FieldsV1") {
			s.readMember(r)
		}
	}
	s.member = s.member || len(s.children) == 0
	slices.SortStableFunc(s.children, order)
	s.children, s.ordered = lastOfEach(s.children), true
}

func (s *Set) readMember(r *json.Reader) {
	name := r.Key()
	element, err := fieldpath.DeserializePathElement(name)
	switch {
	case name == ".":
		s.member = true
		r.Raw()
	case errors.Is(err, fieldpath.ErrUnknownPathElementType):
		r.Raw() // a later version may know what it is
	case err != nil:
		r.Fail(err)
	default:
		child := &Set{item: &element}
		if element.FieldName != nil {
			child = &Set{name: *element.FieldName}
		}
		child.read(r)
		s.children = append(s.children, child)
	}
}

// lastOfEach makes one of several sets with one name, which stand side by side. It is a field if
// one of them is, and has below it what the last one has that has anything.
func lastOfEach(children []*Set) []*Set {
	out := children[:0]
	for _, child := range children {
		if n := len(out); n == 0 || order(out[n-1], child) != 0 {
			out = append(out, child)
			continue
		}
		kept := out[len(out)-1]
		kept.member = kept.member || child.member
		if len(child.children) > 0 {
			kept.children = child.children
		}
	}
	return out
}
