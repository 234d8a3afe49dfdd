package document

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Places are paths in a document.
type Places []string

// Unseen are where one of two documents has a member that the other one has not, and nothing is in
// it: an empty text, a zero, a false, an empty list, or an object with nothing but such members.
// Most Go values don't show whether they are there. There are no more than most.
func Unseen(was, is map[string]any, shape *Shape, most int) Places {
	u := unseen{most: most}
	u.object(shape, was, is, nil)
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
}

func (u *unseen) object(s *Shape, then, now map[string]any, path *field.Path) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		was, had := then[name]
		inner, at := s.member(name, path)
		if had {
			u.value(inner, was, now[name], at)
		} else {
			u.came(now[name], at)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(then)) {
		if _, has := now[name]; !has {
			_, at := s.member(name, path)
			u.came(then[name], at)
		}
	}
}

// came notes a member that came or went, if there is nothing in it.
func (u *unseen) came(value any, path *field.Path) {
	if hollow(value) && len(u.places) < u.most {
		u.places = append(u.places, path.String())
	}
}

func (u *unseen) value(s *Shape, then, now any, path *field.Path) {
	switch now := now.(type) {
	case map[string]any:
		if then, ok := then.(map[string]any); ok {
			u.object(s, then, now, path)
		}
	case []any:
		if then, ok := then.([]any); ok {
			u.list(s, then, now, path)
		}
	}
}

// list compares items with those that they were.
func (u *unseen) list(s *Shape, then, now []any, path *field.Path) {
	if reflect.DeepEqual(then, now) {
		return
	}
	inner := (*Shape)(nil)
	if s != nil {
		inner = s.inside
	}
	taken := make([]bool, len(then))
	next := 0
	for i, item := range now {
		j := equalFrom(then, taken, item, next)
		if j < 0 {
			j = likest(then, taken, item, i)
		}
		if j < 0 && i < len(then) && !taken[i] {
			j = i
		}
		if j >= 0 {
			taken[j], next = true, j+1
			u.value(inner, then[j], item, path.Index(i))
		}
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
