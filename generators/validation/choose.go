package validation

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// choose decides which functions a target gets: those of its roots, those of its other types that are used and have
// rules, and those of types of packages that have no functions, as far as these call them.
func (t *target) choose(p *planner, alias func(path string) string) {
	defer p.under(p.under(t.law))
	chosen := map[*types.Type]bool{}
	for _, f := range t.candidates(p) {
		f.node = p.nodes[f.node.typ]
		if f.node == nil || !f.node.validates() {
			continue
		}
		chosen[f.node.typ] = true
		t.roots = append(t.roots, f)
		if f.node.typ.Name.Package != t.input {
			t.local[f.node.fn] = f.name // an alias kind
		}
	}
	t.functions = slices.Clone(t.roots)
	for _, typ := range t.types.Types.Types {
		n := p.nodes[typ]
		if n == nil || chosen[typ] || !n.used || typ.Name.Package != t.input || n.fn.Name == "" || !n.validates() {
			continue
		}
		t.functions = append(t.functions, function{name: n.fn.Name, shown: typ.Name.Name, node: n})
	}
	slices.SortFunc(t.functions, func(a, b function) int { return strings.Compare(a.shown, b.shown) })
	t.foreign(p, alias)
}

// foreign adds functions for types of packages that nobody prints any for.
func (t *target) foreign(p *planner, alias func(path string) string) {
	seen := map[*node]bool{}
	for _, f := range t.functions {
		seen[f.node] = true
	}
	var added []function
	var look func(n *node)
	visit := func(n *node) {
		for _, called := range n.calledBy() {
			look(called)
		}
	}
	look = func(n *node) {
		if n == nil || n.fn.Name == "" || seen[n] || !n.validates() {
			return
		}
		if _, printed := p.outputs[n.fn.Path]; printed || n.fn.Path == t.input {
			return
		}
		seen[n] = true
		name := "validate_" + alias(n.fn.Path) + "_" + n.typ.Name.Name
		t.local[n.fn] = name
		added = append(added, function{name: name, shown: alias(n.fn.Path) + "." + n.typ.Name.Name, node: n})
		visit(n)
	}
	for _, f := range t.functions {
		visit(f.node)
	}
	slices.SortFunc(added, func(a, b function) int { return strings.Compare(a.name, b.name) })
	t.functions = append(t.functions, added...)
}

// calledBy are the types whose functions that of a type calls.
func (n *node) calledBy() []*node {
	if n.plan.opaque {
		return nil
	}
	var out []*node
	each := func(of *node, keys, vals plan) {
		if len(keys.calls) > 0 {
			out = append(out, of.keyNode())
		}
		if len(vals.calls) > 0 {
			out = append(out, of.elemNode())
		}
	}
	each(n, n.eachKey, n.eachVal)
	for _, f := range n.fields {
		out = append(out, f.node)
		each(f.node, f.eachKey, f.eachVal)
	}
	return out
}
