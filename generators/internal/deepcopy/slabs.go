package deepcopy

import (
	"maps"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"

	"k8s.io/gengo/v2/types"
)

// several is how many values of a type an object may easily have that makes it worth counting them.
const several = 6

// slabs says what the functions of a file take from slabs: memory for values of one type, which
// were counted before and are allocated at once.
type slabs struct {
	// shared says that the file imports the runtime, which has the memory for metadata and the
	// functions for its types.
	shared bool
	slabs  map[types.Name]*types.Type
	// first are the slabs that metadata takes from.
	first []types.Name
	// entry are those of them that an item of the metadata's list of managed fields takes from,
	// with the list.
	entry []types.Name
	// needs are the types whose functions take from slabs. wide are those of them that take from
	// other slabs than metadata does. counts are those in which there is something to count.
	needs, wide, counts map[*types.Type]bool
	// entries are the types whose functions are called by whoever has no slabs.
	entries map[*types.Type]bool
	// own is the memory of a kind, by the types whose functions take from it.
	own map[*types.Type]*own
}

// planSlabs decides which types get slabs: those that metadata has, and those that many ways lead
// to. Slabs are generic.
func (f *file) planSlabs(shared bool) {
	bodies := map[*types.Type]*node{}
	var meta *node
	for _, fn := range f.functions {
		bodies[fn.typ] = fn.body
		if fn.typ.Name == metadata {
			meta = fn.body
		}
	}
	m := &slabs{shared: shared, slabs: map[types.Name]*types.Type{}, entries: map[*types.Type]bool{}}
	if meta == nil || !f.since("go1.18") {
		f.memory = m
		return
	}
	w := ways{memory: m, bodies: bodies, in: map[*node]map[types.Name]int{}, taken: map[types.Name]*types.Type{}}
	for name := range m.metadata(&w, meta) {
		m.slabs[name] = w.taken[name]
		m.first = append(m.first, name)
	}
	slices.SortFunc(m.first, func(a, b types.Name) int { return strings.Compare(a.String(), b.String()) })
	meta.visit(func(n *node) {
		if n.how == slice && n.elem.how == function && n.elem.typ.Name == managed {
			m.entry = w.structs(n)
		}
	})
	for _, a := range f.aliases {
		if body := bodies[a.node.typ]; body != nil {
			for name, n := range w.of(body) {
				if n >= several {
					m.slabs[name] = w.taken[name]
				}
			}
		}
	}
	takes := func(t *types.Type, n *node) bool {
		return m.slab(m.own[t], n) != nil && (!m.ofRuntime(t) || runtimeSlabs[taken(n).Name] != "")
	}
	m.wide = m.reaching(bodies, func(t *types.Type, n *node) bool { return takes(t, n) && !slices.Contains(m.first, taken(n).Name) }, true)
	m.counts = m.reaching(bodies, takes, false)
	m.planEntries(f, bodies)
	m.planOwn(f, bodies)
	m.needs, m.counts = m.reaching(bodies, takes, true), m.reaching(bodies, takes, false)
	f.memory = m
}

// metadata are the values that metadata takes from slabs; those of the runtime have what all of its
// functions take.
func (m *slabs) metadata(w *ways, meta *node) map[types.Name]int {
	count := maps.Clone(w.of(meta))
	if !m.shared {
		return count
	}
	for t, body := range w.bodies {
		if m.ofRuntime(t) {
			maps.Copy(count, w.of(body))
		}
	}
	maps.DeleteFunc(count, func(name types.Name, _ int) bool { return runtimeSlabs[name] == "" })
	return count
}

// planEntries finds the functions that are called from elsewhere: by methods, and for the kinds in
// a list, each of which gets memory of its own. For those of aliases the object comes with the
// memory.
func (m *slabs) planEntries(f *file, bodies map[*types.Type]*node) {
	called := func(n *node) {
		if n.how == function {
			m.entries[n.typ] = true
		}
	}
	for _, method := range f.methods {
		method.body.visit(called)
	}
	for _, a := range f.aliases {
		if !m.withObject(a.node.typ) {
			a.node.visit(called)
		}
	}
	for _, body := range bodies {
		body.visit(func(n *node) {
			if n.how == function && isObject(n.typ) {
				m.entries[n.typ] = true
			}
		})
	}
}

// withObject tells whether memory for a kind is allocated with the object.
func (m *slabs) withObject(t *types.Type) bool { return m.counts[t] && isObject(t) }

// visit calls do for a node and for all that it is made of.
func (n *node) visit(do func(*node)) {
	if n == nil {
		return
	}
	do(n)
	n.elem.visit(do)
	for _, f := range n.fields {
		f.node.visit(do)
	}
}

// isObject tells whether a type is a kind: nothing of it is allocated together with anything of
// another one.
func isObject(t *types.Type) bool {
	return model.Embeds(t, "TypeMeta") && model.Embeds(t, "ObjectMeta")
}

// taken is the type of the values that the copy of a pointer or list needs, if they may come from a
// slab.
func taken(n *node) *types.Type {
	if n.how != pointer && n.how != slice {
		return nil
	}
	e := n.elem
	switch t := model.Underlying(e.typ); {
	case t.Kind == types.Builtin && e.how == assign && (n.how == pointer || t == types.String):
		return t
	case t.Kind != types.Struct || e.typ.Name.Package == "" || strings.Contains(e.typ.Name.Name, "[") || isObject(t):
		return nil
	case e.how == assign, e.how == function, e.how == generated, e.how == manual && e.into:
		return e.typ
	}
	return nil
}

// slab is the type of the slab that the copy of a pointer or list takes from, in a function that
// has o or none; nil if it does not.
func (m *slabs) slab(o *own, n *node) *types.Type {
	if t := taken(n); t != nil && (m.slabs[t.Name] != nil || o != nil && o.types[t.Name] != nil) {
		return t
	}
	return nil
}

// reaching finds the types whose functions have such a node, of their own or of what they call; in
// the values of maps, too, or not.
func (m *slabs) reaching(bodies map[*types.Type]*node, such func(*types.Type, *node) bool, inMaps bool) map[*types.Type]bool {
	found := map[*types.Type]bool{}
	for again := true; again; {
		again = false
		for t, body := range bodies {
			if !found[t] && body.reaches(func(n *node) bool { return such(t, n) }, found, inMaps) {
				found[t], again = true, true
			}
		}
	}
	return found
}

// reaches tells whether a node, or what it is made of, is such a one, given the functions that have
// one.
func (n *node) reaches(such func(*node) bool, found map[*types.Type]bool, inMaps bool) bool {
	if n == nil || n.how == mapping && !inMaps {
		return false
	}
	return such(n) || n.how == function && !isObject(n.typ) && found[n.typ] || n.elem.reaches(such, found, inMaps) ||
		slices.ContainsFunc(n.fields, func(f field) bool { return f.node.reaches(such, found, inMaps) })
}

// counted tells whether there is something to count in what a node copies, in a function that has o
// or none.
func (m *slabs) counted(o *own, n *node) bool {
	return n.reaches(func(n *node) bool { return m.slab(o, n) != nil }, m.counts, false)
}

// ways counts by how many ways an object may get values that come from a slab.
type ways struct {
	memory *slabs
	bodies map[*types.Type]*node
	in     map[*node]map[types.Name]int // nil while they are counted
	taken  map[types.Name]*types.Type
}

// of counts the ways from the body of a function. What holds itself is counted once.
func (w *ways) of(body *node) map[types.Name]int {
	if count, ok := w.in[body]; ok {
		return count
	}
	w.in[body] = nil
	count := map[types.Name]int{}
	w.add(count, body, 1)
	w.in[body] = count
	return count
}

// structs are the structs that a list of one item takes.
func (w *ways) structs(list *node) []types.Name {
	count := map[types.Name]int{}
	w.add(count, list, 1)
	return slices.DeleteFunc(slices.SortedFunc(maps.Keys(count), byName), func(name types.Name) bool { return name.Package == "" })
}

func (w *ways) add(count map[types.Name]int, n *node, times int) {
	if t := taken(n); t != nil {
		w.taken[t.Name] = t
		count[t.Name] += times
	}
	switch n.how {
	case function:
		if body := w.bodies[n.typ]; body != nil && !isObject(n.typ) {
			for name, more := range w.of(body) {
				if w.memory.ofRuntime(n.typ) && runtimeSlabs[name] == "" {
					continue
				}
				count[name] = min(count[name]+more*times, 1000)
			}
		}
	case slice:
		w.add(count, n.elem, 2*times)
	case pointer, array:
		w.add(count, n.elem, times)
	case inline:
		for _, f := range n.fields {
			w.add(count, f.node, times)
		}
	}
}
