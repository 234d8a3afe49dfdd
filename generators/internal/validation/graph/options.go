package graph

import (
	"maps"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// Options are the options that rules of a kind that pkg declares depend on (+k8s:ifEnabled),
// sorted.
func (r *Rules) Options(pkg *model.Package, kind *types.Type) []string {
	defer r.g.Under(r.g.Under(r.g.LawIn(pkg)))
	found := map[string]bool{}
	r.g.Nodes()[kind].walk(func(p plan.Plan) {
		o := optionsOf{p.Vars, found}
		for _, c := range p.Calls {
			o.call(c)
		}
	}, map[*Node]bool{})
	return slices.Sorted(maps.Keys(found))
}

// walk visits the plans of a type and of what is in it.
func (n *Node) walk(visit func(plan.Plan), seen map[*Node]bool) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	visit(n.Plan)
	if n.Plan.Opaque {
		return
	}
	parts := func(keys, vals plan.Plan, of *Node) {
		if len(keys.Calls) > 0 {
			of.KeyNode().walk(visit, seen)
		}
		if len(vals.Calls) > 0 {
			of.ElemNode().walk(visit, seen)
		}
	}
	parts(n.EachKey, n.EachVal, n)
	if n.Under != nil {
		n.Under.Node.walk(visit, seen)
	}
	for _, f := range n.Fields {
		visit(f.Plan)
		parts(f.EachKey, f.EachVal, f.Node)
		f.Node.walk(visit, seen)
	}
}

// optionsOf collects the options in a plan with these variables.
type optionsOf struct {
	vars  []plan.Variable
	found map[string]bool
}

func (o optionsOf) call(c plan.Call) {
	if c.Level == "Alpha" {
		return // what it says does not count
	}
	if c.Func == plan.Lib("IfOption") {
		o.found[c.Args[0].(string)] = true
	}
	for _, arg := range c.Args {
		o.value(arg)
	}
}

func (o optionsOf) value(value any) {
	switch v := value.(type) {
	case plan.Wrapper:
		o.call(v.Call)
	case plan.Sequence:
		for _, c := range v.Calls {
			o.call(c)
		}
	case plan.Literal:
		for _, f := range v.Fields {
			if option, ok := f.Value.(string); ok && f.Name == "Option" && v.Type == plan.Lib("EnumExclusion") {
				o.found[option] = true
			}
			o.value(f.Value)
		}
	case emit.Ident:
		for _, known := range o.vars {
			if v == plan.Own(known.Name) {
				o.value(known.Init)
			}
		}
	}
}
