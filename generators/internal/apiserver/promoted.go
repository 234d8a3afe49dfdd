package apiserver

import (
	"maps"

	"k8s.io/gengo/v2/types"
)

// withPromoted returns t with the methods of what it embeds beside its own, as Go promotes them. Of
// two of one name the outer one counts, and none if they are equally deep.
func withPromoted(t *types.Type) *types.Type {
	with := *t
	with.Methods = maps.Clone(t.Methods)
	seen := map[*types.Type]bool{t: true}
	for inner := embedded(t, seen); len(inner) > 0; {
		found, times, next := map[string]*types.Type{}, map[string]int{}, []*types.Type(nil)
		for _, e := range inner {
			for name, m := range e.Methods {
				found[name] = m
				times[name]++
			}
			next = append(next, embedded(e, seen)...)
		}
		for name, m := range found {
			if _, hidden := with.Methods[name]; hidden {
				continue
			}
			if with.Methods == nil {
				with.Methods = map[string]*types.Type{}
			}
			with.Methods[name] = m
			if times[name] > 1 {
				with.Methods[name] = nil // it hides what is deeper
			}
		}
		inner = next
	}
	maps.DeleteFunc(with.Methods, func(_ string, m *types.Type) bool { return m == nil })
	return &with
}

// embedded are the types that a struct embeds, but for those that were seen before.
func embedded(t *types.Type, seen map[*types.Type]bool) []*types.Type {
	var all []*types.Type
	for _, m := range t.Members {
		of := m.Type
		if of.Kind == types.Pointer {
			of = of.Elem
		}
		if m.Embedded && !seen[of] {
			seen[of] = true
			all = append(all, of)
		}
	}
	return all
}
