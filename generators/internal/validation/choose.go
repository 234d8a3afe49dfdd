package validation

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/graph"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/printer"
)

// choose decides which functions a target gets. They are those of its roots, and those of its other
// types that are used and have rules. Types of packages without functions get one as far as these
// call it.
func choose(t *target, g *graph.Graph, alias func(path string) string) {
	defer g.Under(g.Under(t.law))
	chosen := map[*types.Type]bool{}
	for _, f := range candidates(t, g) {
		f.Node = g.Nodes()[f.Node.Type]
		if f.Node == nil || !f.Node.Validates() {
			continue
		}
		chosen[f.Node.Type] = true
		t.Functions = append(t.Functions, f)
		if t.Registry == nil || *t.Registry != scheme || g.Model.IsObject(f.Node.Type) {
			if t.Registry != nil { // else nobody acts on what its tags say about subresources
				f.Subresources = subresources(g.Model.OfType(f.Node.Type))
			}
			t.Roots = append(t.Roots, f)
		}
		if f.Node.Type.Name.Package != t.Input {
			t.Local[f.Node.Func] = f.Name // an alias kind
		}
	}
	if t.unbuilt && len(t.Functions) > 0 {
		packageProblem(g, t.Package, "+"+tagRegistry+" asks for a registration, and the package has no localSchemeBuilder to register with",
			"declare one, say +groupName= in a package of kinds, or take the tag away")
	}
	for _, typ := range t.types.Types.Types {
		n := g.Nodes()[typ]
		if n == nil || chosen[typ] || !n.Used || typ.Name.Package != t.Input || model.IsInstance(typ) || n.Func.Name == "" || !n.Validates() {
			continue
		}
		t.Functions = append(t.Functions, printer.Function{Name: n.Func.Name, Shown: typ.Name.Name, Node: n})
	}
	slices.SortFunc(t.Functions, func(a, b printer.Function) int { return strings.Compare(a.Shown, b.Shown) })
	foreign(t, g, alias)
}

// foreign adds functions for types that nobody else prints any for. They are those of packages
// without functions, and instances of generic types. The arguments of an instance may be of a
// package that the generic type's own can't import.
func foreign(t *target, g *graph.Graph, alias func(path string) string) {
	seen := map[*graph.Node]bool{}
	for _, f := range t.Functions {
		seen[f.Node] = true
	}
	var added []printer.Function
	var look func(n *graph.Node)
	visit := func(n *graph.Node) {
		for _, called := range calledBy(n) {
			look(called)
		}
	}
	look = func(n *graph.Node) {
		if n == nil || n.Func.Name == "" || seen[n] || !n.Validates() {
			return
		}
		if _, printed := g.Outputs[n.Func.Path]; (printed || n.Func.Path == t.Input) && !model.IsInstance(n.Type) {
			return
		}
		seen[n] = true
		name, shown := model.FuncPart(n.Type), n.Type.Name.Name
		if from := alias(n.Func.Path); from != "" {
			name, shown = from+"_"+name, from+"."+shown
		}
		name = "validate_" + name
		t.Local[n.Func] = name
		added = append(added, printer.Function{Name: name, Shown: shown, Node: n})
		visit(n)
	}
	for _, f := range t.Functions {
		visit(f.Node)
	}
	slices.SortFunc(added, func(a, b printer.Function) int { return strings.Compare(a.Name, b.Name) })
	t.Functions = append(t.Functions, added...)
}

// calledBy are the types whose functions that of a type calls.
func calledBy(n *graph.Node) []*graph.Node {
	if n.Plan.Opaque {
		return nil
	}
	var out []*graph.Node
	each := func(of *graph.Node, keys, vals plan.Plan) {
		if len(keys.Calls) > 0 {
			out = append(out, of.KeyNode())
		}
		if len(vals.Calls) > 0 {
			out = append(out, of.ElemNode())
		}
	}
	each(n, n.EachKey, n.EachVal)
	for _, f := range n.Fields {
		out = append(out, f.Node)
		each(f.Node, f.EachKey, f.EachVal)
	}
	return out
}
