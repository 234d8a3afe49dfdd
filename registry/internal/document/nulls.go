package document

import (
	"bytes"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// NullItems are the paths of items of lists that are null in the text of an object, where the Go
// type has no word for that: it would take them for zero values. Members that are null count as not
// sent, but an item has a place. There are no more than most.
func NullItems(text []byte, shape *Shape, most int) ([]string, error) {
	if !bytes.Contains(text, []byte("null")) {
		return nil, nil
	}
	tree, err := readTree(text)
	if err != nil {
		return nil, err
	}
	n := nulls{most: most}
	n.find(shape, tree, nil)
	return n.paths, nil
}

// nulls collects paths.
type nulls struct {
	paths []string
	most  int
}

// find looks through a value, in the order of its names.
func (n *nulls) find(s *Shape, value any, path *field.Path) {
	if s == nil || len(n.paths) == n.most {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			inner, at := s.member(name, path)
			n.find(inner, value[name], at)
		}
	case []any:
		for i, item := range value {
			if item == nil && s.full && len(n.paths) < n.most {
				n.paths = append(n.paths, path.Index(i).String())
			}
			n.find(s.inside, item, path.Index(i))
		}
	}
}
