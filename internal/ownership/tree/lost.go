package tree

import (
	"maps"
	"slices"

	"github.com/typeplane/typeplane/internal/jsontree"
)

// maxCompared bounds how many items of a list without keys are compared with how many others.
const maxCompared = 1 << 16

// Lost returns the paths of values that are in was, and neither in shown nor in is. So it finds the
// fields that a version does not show and that a write through it has removed. A value that differs
// is not lost. Only the first most paths are returned; n counts all of them. With a nil Type items
// of lists are identified by their content.
func (t *Type) Lost(was, shown, is map[string]any, most int) (paths []string, n int) {
	s := losses{most: most}
	s.object(t, nil, was, shown, is)
	return s.found, s.n
}

// losses collects paths of lost values.
type losses struct {
	most, n int
	found   []string
}

func (s *losses) lost(at path) {
	if s.n++; s.n <= s.most {
		s.found = append(s.found, at.text())
	}
}

// value compares a value that was there. A null among the others stands for no value.
func (s *losses) value(t *Type, at path, was, shown, is any) {
	if isNothing(was) {
		return
	}
	if shown == nil && is == nil {
		s.lost(at)
		return
	}
	switch was := was.(type) {
	case map[string]any:
		shown, shows := shown.(map[string]any)
		is, there := is.(map[string]any)
		if shows || there {
			s.object(t, at, was, shown, is)
		}
	case []any:
		shown, shows := shown.([]any)
		is, there := is.([]any)
		if shows || there {
			s.list(t, at, was, shown, is)
		}
	}
}

func (s *losses) object(t *Type, at path, was, shown, is map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		var inner *Type
		if t != nil {
			inner, _ = t.object.member(name)
		}
		s.value(inner, append(at[:len(at):len(at)], member(name)), was[name], shown[name], is[name])
	}
}

func (s *losses) list(t *Type, at path, was, shown, is []any) {
	var l *list
	var inner *Type
	if t != nil {
		inner = t.list.items
		if !t.list.atomic && t.kinds&isList != 0 {
			l = &t.list
		}
	}
	inShown, inIs := l.pairs(was, shown), l.pairs(was, is)
	for i, item := range was {
		place := indexed(i)
		if l != nil {
			if _, err := l.identity(item); err == nil && len(l.keys) > 0 {
				place = l.place(item)
			}
		}
		s.value(inner, append(at[:len(at):len(at)], place), item, itemAt(shown, inShown[i]), itemAt(is, inIs[i]))
	}
}

func itemAt(items []any, i int) any {
	if i < 0 {
		return nil
	}
	return items[i]
}

// pairs returns for each item the index of the one among others that it has become, -1 if there is
// none. Items are paired by their identity, or else by their content; one of others may say less,
// or more. A nil list is one without keys.
func (l *list) pairs(items, others []any) []int {
	name := func(item any) string { return string(jsontree.Append(nil, item)) }
	if l != nil {
		name = func(item any) string {
			id, _ := l.identity(item)
			return id
		}
	}
	free := map[string][]int{}
	for i, item := range others {
		free[name(item)] = append(free[name(item)], i)
	}
	out, taken := make([]int, len(items)), make([]bool, len(others))
	for i, item := range items {
		out[i] = -1
		if found := free[name(item)]; len(found) > 0 {
			out[i], taken[found[0]] = found[0], true
			free[name(item)] = found[1:]
		}
	}
	if l != nil || len(items)*len(others) > maxCompared {
		return out
	}
	for i, item := range items {
		for j := 0; j < len(others) && out[i] < 0; j++ {
			if !taken[j] && (covers(item, others[j]) || covers(others[j], item)) {
				out[i], taken[j] = j, true
			}
		}
	}
	return out
}

// covers reports whether a value has everything that another object has.
func covers(value, part any) bool {
	p, ok := part.(map[string]any)
	if !ok {
		return same(value, part)
	}
	v, ok := value.(map[string]any)
	for name := range p {
		ok = ok && (isNothing(p[name]) || covers(v[name], p[name]))
	}
	return ok && len(p) > 0
}

// isNothing reports whether a value is the JSON of a field that was never set.
func isNothing(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case bool:
		return !value
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return same(value, int64(0))
}
