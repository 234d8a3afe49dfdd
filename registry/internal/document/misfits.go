package document

import (
	"bytes"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Misfits are what is wrong in the text of an object although its Go type can read it. They are
// items of lists that are null, which it would take for zero values, and what is no object where it
// has any object. Members that are null count as not sent, but an item has a place. There are no
// more than most.
func Misfits(text []byte, shape *Shape, most int) (field.ErrorList, error) {
	if shape == nil || !shape.raw && !bytes.Contains(text, []byte("null")) {
		return nil, nil
	}
	tree, err := readTree(text)
	if err != nil {
		return nil, err
	}
	m := misfits{most: most}
	m.find(shape, tree, nil)
	return m.errs, nil
}

// misfits collects errors.
type misfits struct {
	errs field.ErrorList
	most int
}

// find looks through a value, in the order of its names.
func (m *misfits) find(s *Shape, value any, path *field.Path) {
	if s == nil || len(m.errs) == m.most {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			inner, at := s.member(name, path)
			m.object(s.objects[name] || s.object, value[name], at)
			m.find(inner, value[name], at)
		}
	case []any:
		for i, item := range value {
			at := path.Index(i)
			if item == nil && s.full {
				m.add(&field.Error{Type: field.ErrorTypeInvalid, Field: at.String(), BadValue: "null", Detail: "an item of a list must not be null"})
			}
			m.object(s.object, item, at)
			m.find(s.inside, item, at)
		}
	}
}

// object wants a value to be an object, if it should be one and is there.
func (m *misfits) object(should bool, value any, at *field.Path) {
	if _, is := value.(map[string]any); should && !is && value != nil {
		m.add(field.TypeInvalid(at, wordOfValue(value), "must be of type "+typeObject))
	}
}

func (m *misfits) add(err *field.Error) {
	if len(m.errs) < m.most {
		m.errs = append(m.errs, err)
	}
}
