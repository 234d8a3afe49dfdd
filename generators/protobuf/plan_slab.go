package protobuf

import (
	gotypes "go/types"
	"iter"

	"k8s.io/gengo/v2/types"

	apikind "github.com/typeplane/typeplane/generators/kind"
)

// largest is the size of the largest things that are allocated several at a time.
const largest = 512

// sizes are those of the machines that servers run on.
var sizes = gotypes.SizesFor("gc", "amd64")

// planSlabs finds the messages that one object may have several of, behind pointers or in lists, and that are small:
// they are allocated together.
func (f *file) planSlabs() {
	count, repeats := map[*types.Type]int{}, map[*message]bool{}
	held := map[*types.Type]bool{}
	var todo []*message
	f.slabs = map[*types.Type]bool{}
	again := func(v *value) {
		if f.slabs[v.typ] = held[v.typ] && sizes.Sizeof(v.typ.GoType) <= largest; v.target != nil && !repeats[v.target] {
			repeats[v.target] = true
			todo = append(todo, v.target)
		}
	}
	for v, shape := range f.held() {
		held[v.typ] = held[v.typ] || (shape == list || v.pointer) && !v.nilable
	}
	for v, shape := range f.held() {
		if count[v.typ]++; shape != one || count[v.typ] > 1 {
			again(v)
		}
	}
	for len(todo) > 0 {
		m := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, field := range m.fields {
			if field.value.isMessage() {
				again(field.value)
			}
		}
	}
	f.planCommon()
}

// held are the messages that fields of messages hold, with how they repeat.
func (f *file) held() iter.Seq2[*value, shape] {
	return func(yield func(*value, shape) bool) {
		for _, m := range f.codecs() {
			for _, field := range m.fields {
				if field.value.isMessage() && !yield(field.value, field.shape) {
					return
				}
			}
		}
	}
}

// planCommon finds the slabs that every kind needs: mostly those of its metadata.
func (f *file) planCommon() {
	kinds := 0
	count := map[*types.Type]int{}
	for _, m := range f.codecs() {
		if apikind.Embeds(m.typ, "ObjectMeta") {
			kinds++
			for t := range m.reached() {
				count[t]++
			}
		}
	}
	f.common = map[*types.Type]bool{}
	for t := range f.slabs {
		f.common[t] = count[t] == kinds
	}
	f.large = map[*message]bool{}
	for _, m := range f.codecs() {
		for t := range m.reached() {
			f.large[m] = f.large[m] || f.slabs[t] && !f.common[t]
		}
	}
}

// reached are the types of the messages that a message can hold, at any depth.
func (m *message) reached() map[*types.Type]bool {
	found := map[*types.Type]bool{}
	todo := []*message{m}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, f := range at.fields {
			if v := f.value; v.isMessage() && !found[v.typ] {
				found[v.typ] = true
				if v.target != nil {
					todo = append(todo, v.target)
				}
			}
		}
	}
	return found
}
