package tree

import (
	"maps"
	"slices"
)

// Atomic are the paths of what is owned as a whole in a tree: lists, maps and structs. What is in
// one of them is not looked at any further. Of very many only the first are named.
func (t *Type) Atomic(v any) []string {
	s := search{room: maxText}
	s.atomic(t, v)
	return s.found
}

// search is one walk through a tree.
type search struct {
	path  path
	found []string
	room  int // for the text of what is found
}

func (s *search) atomic(t *Type, v any) {
	switch v := v.(type) {
	case map[string]any:
		if t.kinds&isObject == 0 {
			return
		}
		if t.object.atomic {
			s.add()
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner, _ := t.object.member(name)
			s.at(member(name), inner, v[name])
		}
	case []any:
		if t.kinds&isList == 0 {
			return
		}
		if t.list.atomic {
			s.add()
			return
		}
		for i, item := range v {
			s.at(indexed(i), t.list.items, item)
		}
	}
}

// at goes on at a place, unless nothing is known of its type, or enough was found.
func (s *search) at(p place, t *Type, v any) {
	if t == nil || s.room < 0 {
		return
	}
	s.path = append(s.path, p)
	s.atomic(t, v)
	s.path = s.path[:len(s.path)-1]
}

func (s *search) add() {
	text := s.path.text()
	s.found = append(s.found, text)
	s.room -= len(text)
}
