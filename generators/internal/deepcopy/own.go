package deepcopy

import (
	"maps"
	"slices"

	"k8s.io/gengo/v2/types"
)

// own is memory that only the functions of one kind take from. It is for types that the kind has
// few values of, so that only a block with the object itself can hold them.
type own struct {
	kind  *types.Type
	types map[types.Name]*types.Type
	// room is how many values of a type an object has that has one item in each list.
	room map[types.Name]int64
}

// largestOwn is how many bytes those of one kind take at most. What is larger would hardly ever be
// needed, and whoever keeps a part of an object keeps all of it.
const largestOwn = 1 << 10

// planOwn finds the kinds that get memory of their own, and the functions that nothing else calls,
// which take from it. Kinds with many values of one type get none: they have more types than one
// object has values of.
func (m *slabs) planOwn(f *file, bodies map[*types.Type]*node) {
	m.own = map[*types.Type]*own{}
	users := map[*types.Type]int{}
	for _, a := range f.aliases {
		for t := range held(bodies, a.node) {
			users[t]++
		}
	}
	for _, a := range f.aliases {
		kind := a.node.typ
		if a.node.how != function || !m.withObject(kind) || m.wide[kind] {
			continue
		}
		mine := held(bodies, a.node)
		maps.DeleteFunc(mine, func(t *types.Type, _ bool) bool { return t != kind && (users[t] > 1 || m.entries[t] || m.ofRuntime(t)) })
		o := &own{kind, map[types.Name]*types.Type{}, map[types.Name]int64{}}
		o.add(m, bodies, mine, bodies[kind])
		if bytes := o.bytes(); bytes == 0 || bytes > largestOwn {
			continue
		}
		for t := range mine {
			m.own[t] = o
		}
	}
}

// held are the types whose functions the copy of a node calls, other than those of objects in it.
func held(bodies map[*types.Type]*node, of *node) map[*types.Type]bool {
	found := map[*types.Type]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n.how == function && !found[n.typ] && (n == of || !isObject(n.typ)) {
			found[n.typ] = true
			bodies[n.typ].visit(visit)
		}
	}
	of.visit(visit)
	return found
}

// add adds the values that a node needs, in functions of the kind's own, which are mine. What holds
// itself is counted once.
func (o *own) add(m *slabs, bodies map[*types.Type]*node, mine map[*types.Type]bool, n *node) {
	if t := taken(n); t != nil && m.slabs[t.Name] == nil {
		o.types[t.Name] = t
		o.room[t.Name]++
	}
	switch n.how {
	case function:
		if mine[n.typ] && o.bytes() <= largestOwn {
			delete(mine, n.typ)
			o.add(m, bodies, mine, bodies[n.typ])
			mine[n.typ] = true
		}
	case slice, pointer, array:
		o.add(m, bodies, mine, n.elem)
	case inline:
		for _, f := range n.fields {
			o.add(m, bodies, mine, f.node)
		}
	}
}

// bytes is how many bytes they take.
func (o *own) bytes() int64 {
	var sum int64
	for name, n := range o.room {
		sum += n * size(o.types[name])
	}
	return sum
}

func (o *own) names() []types.Name { return slices.SortedFunc(maps.Keys(o.types), byName) }
