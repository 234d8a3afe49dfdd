package graph

import (
	"go/token"
	"slices"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// StrayChanges warns of rules about a change of the items of lists that nothing tells apart: there
// is no old item to compare with, so they are never asked. A kube-apiserver refuses a definition
// that has some.
func (g *Graph) StrayChanges() {
	for _, nodes := range g.known {
		for _, n := range nodes {
			if g.Foreign(n.Type) {
				continue
			}
			if changesOfStrangers(n.Plan, n.EachVal, n.ElemNode()) {
				g.warnOfStrangers(g.Model.TypePos(n.Type), n.Type.Name.Name)
			}
			for _, f := range n.Fields {
				if changesOfStrangers(f.Plan, f.EachVal, f.Node.ElemNode()) {
					g.warnOfStrangers(g.Model.MemberPos(n.Type, f.Name), n.Type.Name.Name+"."+f.Name)
				}
			}
		}
	}
}

func (g *Graph) warnOfStrangers(pos token.Position, path string) {
	g.Report.Warn(diag.Problem{
		Pos: pos, Path: path,
		Message: "rules about a change (oldSelf) of the items of this list are never asked: nothing says which item was which",
		Cure:    "say +listType=map and +listMapKey=…, or put the rule on the list",
	})
}

// changesOfStrangers tells whether items of a list have rules about a change, and no keys: by what
// is said of the list, or of the type of the items.
func changesOfStrangers(said, each plan.Plan, elem *Node) bool {
	items := func(c plan.Call) bool { return slices.Contains(strangers, c.Func) }
	return slices.ContainsFunc(said.Calls, ofStrangers) || slices.ContainsFunc(each.Calls, items) && elem.anywhere(asksChanges, map[*Node]bool{})
}

// strangers are functions that judge the items of a list each as if it were new.
var strangers = []emit.Ident{plan.Runtime("EachVal"), plan.Runtime("EachPtr"), plan.Runtime("EachList"), plan.Runtime("EachValBehind")}

// ofStrangers tells whether a call asks rules about a change of items without keys.
func ofStrangers(c plan.Call) bool {
	return slices.Contains(strangers, c.Func) && slices.ContainsFunc(c.Args, func(arg any) bool {
		w, ok := arg.(plan.Wrapper)
		return ok && w.Call.Change
	})
}

func asksChanges(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Calls, func(c plan.Call) bool { return c.Change })
}
