package fieldset

import (
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime/json"
)

// Set is a set of fields, as a tree: the fields and items below a place, and whether the place
// itself belongs to the set. The zero value is the empty set. It is for one goroutine, since it is
// put in order when somebody first needs that.
type Set struct {
	name     string                 // of a field
	item     *fieldpath.PathElement // of a list; nil for a field
	member   bool
	ordered  bool // the children are in the order of structured-merge-diff
	children []*Set
}

// Empty says whether there is no field in the set.
func (s *Set) Empty() bool { return !s.member && len(s.children) == 0 }

// Size is the number of fields in the set.
func (s *Set) Size() int {
	n := 0
	if s.member {
		n = 1
	}
	for _, child := range s.children {
		n += child.Size()
	}
	return n
}

// Drop takes a field and everything below it out of the set. The path is of fields.
func (s *Set) Drop(path []string) {
	i := slices.IndexFunc(s.children, func(child *Set) bool { return child.item == nil && child.name == path[0] })
	if i < 0 {
		return
	}
	if len(path) > 1 {
		if s.children[i].Drop(path[1:]); !s.children[i].Empty() {
			return
		}
	}
	s.children = slices.Delete(s.children, i, i+1)
}

// FieldSet returns the set in the form of structured-merge-diff.
func (s *Set) FieldSet() *fieldpath.Set {
	out := fieldpath.NewSet()
	s.insertInto(out)
	return out
}

func (s *Set) insertInto(out *fieldpath.Set) {
	// Each goes to its place in a sorted list, which is its end if they come in order.
	for _, child := range s.sorted() {
		element := child.element()
		if child.member {
			out.Members.Insert(element)
		}
		if len(child.children) > 0 {
			child.insertInto(out.Children.Descend(element))
		}
	}
}

func (s *Set) element() fieldpath.PathElement {
	if s.item != nil {
		return *s.item
	}
	return fieldpath.PathElement{FieldName: &s.name}
}

// sorted puts the children in the order of structured-merge-diff, and returns them.
func (s *Set) sorted() []*Set {
	if !s.ordered {
		if !slices.IsSortedFunc(s.children, order) {
			slices.SortFunc(s.children, order)
		}
		s.ordered = true
	}
	return s.children
}

// order compares two children as structured-merge-diff does.
func order(a, b *Set) int {
	if a.item == nil && b.item == nil {
		return strings.Compare(a.name, b.name)
	}
	if x, y, ok := names(a.item, b.item); ok {
		return strings.Compare(x, y)
	}
	return a.element().Compare(b.element())
}

// names are those of two items that the same field of text names, as it is with most: comparing
// values of any kind takes much longer.
func names(a, b *fieldpath.PathElement) (x, y string, ok bool) {
	if a == nil || b == nil || a.Key == nil || b.Key == nil || len(*a.Key) != 1 || len(*b.Key) != 1 {
		return "", "", false
	}
	f, g := &(*a.Key)[0], &(*b.Key)[0]
	if f.Name != g.Name || !f.Value.IsString() || !g.Value.IsString() {
		return "", "", false
	}
	return f.Value.AsString(), g.Value.AsString(), true
}

// AppendJSON appends the set as FieldsV1, as structured-merge-diff writes it, but that <, > and &
// in names of fields are escaped.
func (s *Set) AppendJSON(dst []byte) (_ []byte, err error) {
	dst = append(dst, '{')
	if s.member && len(s.children) > 0 {
		dst = append(dst, `".":{},`...)
	}
	for i, child := range s.sorted() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = child.appendName(dst); err != nil {
			return nil, err
		}
		if dst, err = child.AppendJSON(dst); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendName appends the name of a field or an item as the name of a JSON member, with the colon.
func (s *Set) appendName(dst []byte) ([]byte, error) {
	if s.item == nil {
		return append(json.AppendString(dst, "f:"+s.name), ':'), nil
	}
	if text, ok := appendPlainKey(dst, s.item); ok {
		return text, nil
	}
	name, err := fieldpath.SerializePathElement(*s.item)
	if err != nil {
		return nil, err
	}
	return append(json.AppendString(dst, name), ':'), nil
}

// appendPlainKey is appendName for an item whose key has nothing in it that is escaped, as it is
// with most.
func appendPlainKey(dst []byte, item *fieldpath.PathElement) (_ []byte, ok bool) {
	if item.Key == nil {
		return nil, false
	}
	dst = append(dst, `"k:{`...)
	for i, f := range *item.Key {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !plain(f.Name) {
			return nil, false
		}
		dst = append(append(append(dst, `\"`...), f.Name...), `\":`...)
		switch {
		case f.Value.IsString() && plain(f.Value.AsString()):
			dst = append(append(append(dst, `\"`...), f.Value.AsString()...), `\"`...)
		case f.Value.IsInt():
			dst = strconv.AppendInt(dst, f.Value.AsInt(), 10)
		default:
			return nil, false
		}
	}
	return append(dst, `}":`...), true
}

// plain says whether a text stands in JSON as it is.
func plain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ', c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
