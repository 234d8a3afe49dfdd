package document

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxLookedAt is how many bytes of paths a Lookup looks at. A path has the keys of maps in it, and
// each field below a key is asked for by the whole path. Without a bound, one long key with many
// fields below it would cost the square of the object.
const maxLookedAt = 128 << 20

// Lookup answers what there is in a tree. It is for one goroutine.
type Lookup struct {
	tree map[string]any
	left int // bytes that may still be looked at
}

// NewLookup looks into a tree, which must not change. In one that is nil there is everything.
func NewLookup(tree map[string]any) *Lookup { return &Lookup{tree, maxLookedAt} }

// Exhausted tells that more was looked at than there is room for: answers were no answers any more.
func (l *Lookup) Exhausted() bool { return l.left < 0 }

// Has tells whether the tree has what a path leads to, and that is not null. It is true when the
// Lookup is exhausted.
func (l *Lookup) Has(path *field.Path) bool {
	if l.tree == nil || l.Exhausted() {
		return true
	}
	value, _, _ := l.at(path.String())
	return value != nil || l.Exhausted()
}

// Had is Has for the tree from before a change. known is false for what is in an item of a list,
// which may have been another one then, and where there is no answer.
func (l *Lookup) Had(path *field.Path) (there, known bool) {
	if path == nil {
		return true, true
	}
	if l.tree == nil || l.Exhausted() {
		return false, false
	}
	value, _, inItem := l.at(path.String())
	return value != nil, !inItem && !l.Exhausted()
}

// Null tells whether the tree has a null where a path leads to.
func (l *Lookup) Null(path *field.Path) bool {
	if l.tree == nil || l.Exhausted() {
		return false
	}
	value, there, _ := l.at(path.String())
	return there && value == nil
}

// Value is what the tree has where a path leads to; ok is false if that is nothing, or not known.
func (l *Lookup) Value(path *field.Path) (_ any, ok bool) {
	if l.tree == nil || l.Exhausted() {
		return nil, false
	}
	if path == nil {
		return l.tree, true
	}
	return l.ValueAt(path.String())
}

// ValueAt is Value for the path of a field.Error.
func (l *Lookup) ValueAt(path string) (_ any, ok bool) {
	if l.tree == nil || l.Exhausted() {
		return nil, false
	}
	value, _, _ := l.at(path)
	return value, value != nil && !l.Exhausted()
}

// at is what a path leads to: "spec.rules[0].name", "spec.labels[app]". inItem says that the path
// goes through a list.
func (l *Lookup) at(path string) (at any, there, inItem bool) {
	l.left -= len(path)
	if first := path[:end(path)]; len(first) < len(path) && l.tree[first] == nil {
		path = strings.TrimPrefix(path[len(first):], ".") // the type of an embedded struct, which is not in JSON
	}
	at, there = l.tree, true
	for path != "" && there {
		switch value := at.(type) {
		case map[string]any:
			at, path, there = l.member(value, path)
		case []any:
			inItem = true
			at, path, there = item(value, path)
		default:
			return nil, false, inItem
		}
	}
	return at, there, inItem
}

// end is where the first name of a path ends.
func end(path string) int {
	if at := strings.IndexAny(path, ".["); at >= 0 {
		return at
	}
	return len(path)
}

// member follows the first step of a path: a name, or a key in brackets. A key may have any sign in
// it, so each bracket that may be its end is tried.
func (l *Lookup) member(object map[string]any, path string) (value any, rest string, there bool) {
	if !strings.HasPrefix(path, "[") {
		name := path[:end(path)]
		value, there = object[name]
		return value, strings.TrimPrefix(path[len(name):], "."), there
	}
	for at := 1; ; at++ {
		next := strings.IndexByte(path[at:], ']')
		if next < 0 || l.Exhausted() {
			return nil, "", false
		}
		at += next
		if rest := path[at+1:]; rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		l.left -= at
		if value, ok := object[path[1:at]]; ok {
			return value, strings.TrimPrefix(path[at+1:], "."), true
		}
	}
}

func item(list []any, path string) (value any, rest string, there bool) {
	at := strings.IndexByte(path, ']')
	if at < 2 || path[0] != '[' {
		return nil, "", false
	}
	n := 0
	for _, digit := range path[1:at] {
		if digit < '0' || digit > '9' || n > len(list) {
			return nil, "", false
		}
		n = n*10 + int(digit-'0')
	}
	if n >= len(list) {
		return nil, "", false
	}
	return list[n], strings.TrimPrefix(path[at+1:], "."), true
}
