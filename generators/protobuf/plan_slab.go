package protobuf

import (
	gotypes "go/types"
	"slices"

	"k8s.io/gengo/v2/types"
)

// largest is the size of the largest things that are allocated several at a time.
const largest = 512

// sizes are those of the machines that servers run on.
var sizes = gotypes.SizesFor("gc", "amd64")

// planSlabs finds the messages that one object may have several of, behind pointers or in lists, and that are small:
// they are allocated together.
func planSlabs(messages []*message) map[*types.Type]bool {
	count, repeats := map[*types.Type]int{}, map[*types.Type]bool{}
	var held []*types.Type
	byType := map[*types.Type]*message{}
	for _, m := range messages {
		byType[m.typ] = m
		for _, f := range m.fields {
			v := f.value
			if !v.isMessage() {
				continue
			}
			count[v.typ]++
			if f.shape != one || count[v.typ] > 1 {
				repeats[v.typ] = true
			}
			if (f.shape == list || v.pointer) && !v.nilable && !slices.Contains(held, v.typ) {
				held = append(held, v.typ)
			}
		}
	}
	todo := make([]*types.Type, 0, len(repeats))
	for t := range repeats {
		todo = append(todo, t)
	}
	for len(todo) > 0 {
		m := byType[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if m == nil {
			continue
		}
		for _, f := range m.fields {
			if v := f.value; v.isMessage() && !repeats[v.typ] {
				repeats[v.typ] = true
				todo = append(todo, v.typ)
			}
		}
	}
	slabs := map[*types.Type]bool{}
	for _, t := range held {
		slabs[t] = repeats[t] && t.GoType != nil && sizes.Sizeof(t.GoType) <= largest
	}
	return slabs
}
