package protobuf

import (
	gotypes "go/types"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

const (
	// largest is the size of the largest things that are allocated several at a time.
	largest = 512
	// several is how many things of a type an object may easily have that makes this worth its
	// code.
	several = 6
)

// sizes are those of the machines that servers run on.
var sizes = gotypes.SizesFor("gc", "amd64")

// planSlabs finds the messages that an object has many of, behind pointers or in lists, and that
// are small: they are allocated together. How many it has is estimated by the ways that lead to
// them; a list or map counts as two.
func (f *file) planSlabs() {
	roots := f.kinds()
	if len(roots) == 0 {
		roots = f.codecs()
	}
	most := map[*types.Type]int{}
	for _, root := range roots {
		for t, n := range ways(root) {
			most[t] = max(most[t], n)
		}
	}
	f.slabs = map[*types.Type]bool{}
	for _, m := range f.codecs() {
		for _, field := range m.fields {
			v := field.value
			if f.fromSlab(field) && most[v.typ] >= several {
				f.slabs[v.typ] = sizes.Sizeof(v.typ.GoType) <= largest
			}
		}
	}
	if f.inline {
		f.planFirst()
	}
	f.numberSlabs()
}

// planFirst finds the slabs that an object's metadata needs: most objects have some of each, so the
// first ones are allocated at once.
func (f *file) planFirst() {
	for _, m := range f.codecs() {
		if m.typ.Name.String() != objectMeta {
			continue
		}
		held := ways(m)
		for t := range f.slabs {
			if f.slabs[t] && held[t] > 0 {
				f.first = append(f.first, t)
			}
		}
	}
	slices.SortFunc(f.first, byTypeName)
}

// numberSlabs puts the slabs into the order of their numbers.
func (f *file) numberSlabs() {
	for t := range f.slabs {
		if f.slabs[t] && !slices.Contains(f.first, t) {
			f.slabTypes = append(f.slabTypes, t)
		}
	}
	slices.SortFunc(f.slabTypes, byTypeName)
	f.slabTypes = append(slices.Clone(f.first), f.slabTypes...)
}

func byTypeName(a, b *types.Type) int { return strings.Compare(a.Name.String(), b.Name.String()) }

// slabIndex is the number of the slab that values of a type come from, counted from the first one
// that is the file's own; below 0 is none.
func (f *file) slabIndex(t *types.Type) int { return slices.Index(f.slabTypes, t) }

// needsWide tells whether a message holds any that come from other slabs than those that metadata
// needs.
func (f *file) needsWide(m *message) bool { return f.reachesWide(m, map[*message]bool{}) }

func (f *file) reachesWide(m *message, seen map[*message]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	return slices.ContainsFunc(m.fields, func(field *field) bool {
		v := field.value
		return f.fromSlab(field) && f.slabs[v.typ] && !slices.Contains(f.first, v.typ) || v.target != nil && f.reachesWide(v.target, seen)
	})
}

// fromSlab tells whether the messages of a field may come from a slab of the file: those behind
// pointers and in lists. Those that the runtime reads come from its own.
func (f *file) fromSlab(field *field) bool {
	v := field.value
	switch {
	case !v.isMessage() || v.nilable || field.shape != list && !v.pointer:
		return false
	case f.inline:
		return true
	}
	return v.access != byRuntime && v.access != asTime && v.access != asFieldSet
}

const objectMeta = "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta"

// isKind tells whether a message has the metadata of an object.
func (m *message) isKind() bool { return model.Embeds(m.typ, "ObjectMeta") }

// kinds are the messages that have the metadata of an object.
func (f *file) kinds() []*message {
	var out []*message
	for _, m := range f.codecs() {
		if m.isKind() {
			out = append(out, m)
		}
	}
	return out
}

// ways counts how many ways lead from a message to those that it holds, several for those that hold
// themselves.
func ways(root *message) map[*types.Type]int {
	order, seen := []*message{}, map[*message]bool{}
	var visit func(m *message)
	visit = func(m *message) {
		if seen[m] {
			return
		}
		seen[m] = true
		for _, f := range m.fields {
			if f.value.target != nil {
				visit(f.value.target)
			}
		}
		order = append(order, m)
	}
	visit(root)
	count := map[*types.Type]int{root.typ: 1}
	for i := len(order) - 1; i >= 0; i-- { // who holds comes before what it holds
		m := order[i]
		if m.cycle {
			count[m.typ] = max(count[m.typ], several)
		}
		for _, f := range m.fields {
			n := count[m.typ]
			if f.shape != one {
				n *= 2
			}
			if f.value.isMessage() {
				count[f.value.typ] = min(count[f.value.typ]+n, 1000)
			}
		}
	}
	return count
}
