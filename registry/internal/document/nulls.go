package document

import (
	"bytes"
	"slices"
	"strconv"
)

// NullItems are the paths of items of lists that are null in the text of an object, where the Go
// type has no word for that: it would take them for zero values. Members that are null count as not
// sent, but an item has a place.
func NullItems(text []byte, shape *Shape) ([]string, error) {
	if !bytes.Contains(text, []byte("null")) {
		return nil, nil
	}
	tree, err := readTree(text)
	if err != nil {
		return nil, err
	}
	var out []string
	shape.nulls(tree, "", &out)
	slices.Sort(out)
	return out, nil
}

// nulls collects the paths of null items in a value.
func (s *Shape) nulls(value any, path string, out *[]string) {
	if s == nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if s.members == nil {
				s.inside.nulls(inner, path+"["+name+"]", out)
			} else if path == "" {
				s.members[name].nulls(inner, name, out)
			} else {
				s.members[name].nulls(inner, path+"."+name, out)
			}
		}
	case []any:
		for i, item := range value {
			at := path + "[" + strconv.Itoa(i) + "]"
			if item == nil && s.full {
				*out = append(*out, at)
			}
			s.inside.nulls(item, at, out)
		}
	}
}
