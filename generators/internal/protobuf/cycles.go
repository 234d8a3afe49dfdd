package protobuf

import "k8s.io/gengo/v2/types"

// findCycles finds the messages that can hold themselves, directly or through others of the package
// (packages cannot import each other in a circle). Input could nest those as deep as it is long, so
// reading them counts the depth.
func findCycles(messages []*message) {
	reach := map[*types.Type]map[*types.Type]bool{}
	for _, m := range messages {
		reach[m.typ] = map[*types.Type]bool{}
		for _, f := range m.fields {
			if m.codec && f.value.isMessage() {
				reach[m.typ][f.value.typ] = true
			}
		}
	}
	for _, m := range messages {
		m.cycle = closure(m.typ, reach)[m.typ]
	}
}

// closure are the types that a type can hold, at any depth.
func closure(t *types.Type, reach map[*types.Type]map[*types.Type]bool) map[*types.Type]bool {
	seen := map[*types.Type]bool{}
	todo := []*types.Type{t}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for next := range reach[at] {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return seen
}
