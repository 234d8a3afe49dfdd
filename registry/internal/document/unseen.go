package document

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/jsontree"
)

// Places are paths in a document.
type Places []string

// Unseen are the places where one of two documents has a member that the other lacks, and nothing
// is in it. Nothing is an empty text, a zero, a false, an empty list, or an object with nothing but
// such members. Most Go values don't show whether they are there, nor whether a struct is that has
// nothing but defaults. There are no more than most.
func Unseen(was, is map[string]any, shape *Shape, most int) Places {
	u := unseen{most: most}
	u.value(shape, was, is, nil)
	return u.places
}

// Touch says whether a path is one of the places, or around or inside of one.
func (p Places) Touch(path string) bool {
	if path == (*field.Path)(nil).String() { // of the object itself
		return len(p) > 0
	}
	return slices.ContainsFunc(p, func(place string) bool { return Within(path, place) || Within(place, path) })
}

// Within says whether a path leads through another one.
func Within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// unseen collects places.
type unseen struct {
	places Places
	most   int
	depth  int
}

func (u *unseen) object(s *Shape, then, now map[string]any, path *field.Path) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		was, had := then[name]
		inner, at := s.member(name, path)
		switch {
		case was == nil && had && now[name] == nil:
		case was == nil:
			u.came(s.isStruct() && inner.isStruct(), now[name], at)
		case now[name] == nil:
			u.came(s.isStruct() && inner.isStruct(), was, at)
		default:
			u.value(inner, was, now[name], at)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(then)) {
		if _, has := now[name]; !has {
			inner, at := s.member(name, path)
			u.came(s.isStruct() && inner.isStruct(), then[name], at)
		}
	}
}

func (s *Shape) isStruct() bool { return s != nil && s.members != nil }

// came notes a member that came or went, if the Go value may not show it. always says that it may
// have the member always.
func (u *unseen) came(always bool, value any, path *field.Path) {
	if (always || hollow(value)) && len(u.places) < u.most {
		u.places = append(u.places, path.String())
	}
}

// deepest is how far below the root it is looked: what is compared on the way down costs the
// object's size for each list.
const deepest = 100

func (u *unseen) value(s *Shape, then, now any, path *field.Path) {
	if s == nil || u.depth == deepest { // no rule looks into what nobody knows
		return
	}
	u.depth++
	defer func() { u.depth-- }()
	switch now := now.(type) {
	case map[string]any:
		if then, ok := then.(map[string]any); ok {
			u.object(s, then, now, path)
		}
	case []any:
		if then, ok := then.([]any); ok {
			u.list(s.inside, then, now, path)
		}
	}
}

// list compares the items that are new with those that are gone, one by one.
func (u *unseen) list(s *Shape, then, now []any, path *field.Path) {
	gone := map[string][]int{} // old items by their JSON, the first one last
	for j := len(then) - 1; j >= 0; j-- {
		text := string(jsontree.Append(nil, then[j]))
		gone[text] = append(gone[text], j)
	}
	var added []int
	for i := range now {
		text := string(jsontree.Append(nil, now[i]))
		if same := gone[text]; len(same) > 0 {
			gone[text] = same[:len(same)-1]
		} else {
			added = append(added, i)
		}
	}
	was := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(gone))...)))
	for n, i := range added[:min(len(added), len(was))] {
		u.value(s, then[was[n]], now[i], path.Index(i))
	}
}

// member is what a member of an object is called in a path, and its shape.
func (s *Shape) member(name string, path *field.Path) (*Shape, *field.Path) {
	switch {
	case s == nil:
		return nil, path.Child(name)
	case s.members == nil:
		return s.inside, path.Key(name)
	}
	return s.members[name], path.Child(name)
}

// hollow says whether nothing is in a value.
func hollow(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			if !hollow(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(value) == 0
	case string:
		return value == ""
	case bool:
		return !value
	case int64:
		return value == 0
	}
	return value == nil
}
