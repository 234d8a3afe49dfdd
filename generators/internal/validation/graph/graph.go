// Package graph walks through types and their fields and collects what their tags ask for: a Node
// for each type, with a Part for each field. It decides which types are looked into, and what of a
// type holds where another one has values of it. Nothing is printed here; versions.go compares the
// rules of two versions of a kind.
//
// Start reading at Graph.Discover.
package graph

import (
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// Node is a type with what its tags ask for. All of it holds wherever the type is used.
type Node struct {
	Type *types.Type // never a pointer
	// Func is the function that validates values of the type, as its own package calls it; zero for
	// types without a name.
	Func emit.Ident
	// Used says that another type has values of this one.
	Used bool

	Fields []*Part
	// key, elem and under are the keys and items of a map or list, and the type below a declared
	// name.
	Key, Elem, Under *Part

	Plan plan.Plan
	// EachKey and EachVal call the functions of the keys' and items' types. They are printed if
	// these have one.
	EachKey, EachVal plan.Plan
}

// Part is a field, or one of the other parts of a node.
type Part struct {
	Name, JSON string
	member     *types.Member
	Type       *types.Type
	Node       *Node // nil for what is not looked into
	Plan       plan.Plan
	EachKey    plan.Plan
	EachVal    plan.Plan
	// Optional says that it is a struct of which nothing is judged where it was left out.
	Optional bool
}

// Graph is what is known of the types of a run.
type Graph struct {
	*rule.Planner
	known map[rule.Law]map[*types.Type]*Node
}

func New(pass *generators.Pass, rules *rule.Set) *Graph {
	return &Graph{rule.NewPlanner(pass, rules), map[rule.Law]map[*types.Type]*Node{}}
}

// Nodes are the types known under the law that holds.
func (g *Graph) Nodes() map[*types.Type]*Node {
	if g.known[g.Law] == nil {
		g.known[g.Law] = map[*types.Type]*Node{}
	}
	return g.known[g.Law]
}

// Discover returns the node of a type, a pointer's of what it points to. It is nil for what is not
// looked into: types that the server itself validates, and shapes that the library has no functions
// for, like lists of lists.
func (g *Graph) Discover(t *types.Type, path string) *Node {
	if g.skipped(t) || shape.Unsupported(t) != "" {
		return nil
	}
	if t.Kind == types.Pointer && t.Name.Package == "" {
		return g.Discover(t.Elem, path)
	}
	defer g.Under(g.Under(g.LawOf(t)))
	if n := g.Nodes()[t]; n != nil {
		return n
	}
	g.ReadComments(t.Name.Package)
	n := &Node{Type: t}
	g.Nodes()[t] = n
	if t.Kind == types.Alias || t.Kind == types.Struct {
		if t.Name.Package != "" {
			path = t.Name.String()
			n.Func = emit.Ident{Path: t.Name.Package, Name: "Validate_" + t.Name.Name}
		}
	}
	switch t.Kind {
	case types.Alias:
		n.Under = g.partOf(t.Underlying, path)
	case types.Struct:
		g.discoverFields(n, path)
	case types.Slice:
		n.Elem = g.partOf(t.Elem, path+"[vals]")
	case types.Map:
		n.Key, n.Elem = g.partOf(t.Key, path+"[keys]"), g.partOf(t.Elem, path+"[vals]")
	}
	if t.Name.Package != "" && (t.Kind == types.Alias || t.Kind == types.Struct) {
		g.discoverRules(n, path)
	}
	return n
}

func (g *Graph) partOf(t *types.Type, path string) *Part {
	return &Part{Type: t, Node: g.use(t, path)}
}

// use discovers a type that another one has values of.
func (g *Graph) use(t *types.Type, path string) *Node {
	n := g.Discover(t, path)
	if n != nil {
		n.Used = true
	}
	return n
}

// skipped tells whether a type is validated by the server, whatever its tags say: the metadata of
// objects.
func (g *Graph) skipped(t *types.Type) bool {
	return t.Name.Package == plan.MetaV1 && slices.Contains([]string{"TypeMeta", "ObjectMeta", "ListMeta"}, t.Name.Name)
}

// discoverRules reads the tags of a type, and for custom resources those of the types that it is
// named after. It does so after the type's parts were discovered, so that rules know them.
func (g *Graph) discoverRules(n *Node, path string) {
	waiting := n.Plan.Later
	n.Plan.Later = nil
	named := g.Model.NamedChain(n.Type)
	if g.Law != rule.OfResources {
		named = named[:1] // as validation-gen: what a type is named after is another one
	}
	for _, of := range named {
		s := &rule.Site{
			Scope: rule.OnType, Type: n.Type, Path: path, Constants: g.ConstantsOf(of),
			Origin: rule.Origin{Owner: of, Markers: g.Model.OfType(of)},
		}
		said := g.PlansOf(s)
		g.checkShape(s, &said)
		n.Plan.Add(said)
	}
	if n.Type.Kind == types.Alias {
		n.EachKey, n.EachVal = g.eachOf(path, n.Type, n.KeyNode(), n.ElemNode(), n.Plan)
	}
	waiting, n.Plan.Later = append(waiting, n.Plan.Later...), nil
	_ = plan.Settle(waiting, func(_ bool, made plan.Plan) { n.Plan.Add(made) }) // its makers report
	g.checkLimits(rule.Origin{Owner: n.Type, Markers: g.Model.OfType(n.Type)}, n.Plan)
	g.settleTrials(n, &n.Plan)
}

// settleTrials settles what becomes of rules that are only tried out. What they find is marked, for
// those who write rules to look at. Of other modules nobody wants to know it.
func (g *Graph) settleTrials(n *Node, p *plan.Plan) {
	if g.Foreign(n.Type) {
		p.DropTrials()
	}
	p.SeparateTrials()
}

// dropIdle leaves calls out that would only stop others (+k8s:optional), where there are none, as
// in many structs of Kubernetes.
func (g *Graph) dropIdle(n *Node, f *Part) {
	judgesZero := f.Node != nil && f.Node.Type.Kind == types.Alias && f.Node.Validates()
	if g.Foreign(n.Type) && !judgesZero && !slices.ContainsFunc(f.Plan.Calls, func(c plan.Call) bool { return !c.Silent || !c.Stop }) {
		f.Plan.Calls = nil
	}
}

// eachOf are the calls of the functions that the types of keys and items have.
func (g *Graph) eachOf(path string, t *types.Type, key, elem *Node, said plan.Plan) (keys, vals plan.Plan) {
	n := model.Pointee(shape.Native(t))
	if n.Kind == types.Map && key != nil && key.Func.Name != "" && !said.OpaqueKey && !key.onlyMarked() {
		keys = declarative.ForEachKey(g.Planner, t, plan.Of(plan.Call{Func: key.Func, Notes: []string{"iterate the map and call the key type's validation function"}}))
	}
	if elem == nil || elem.Func.Name == "" || said.OpaqueVal {
		return keys, vals
	}
	switch {
	case n.Elem.Kind == types.Slice: // which has no function of its own
		_, items := g.eachOf(path+"[vals]", n.Elem, nil, elem, plan.Plan{})
		vals = declarative.ForEachVal(g.Planner, path, t, items)
	case n.Kind == types.Slice:
		vals = declarative.ForEachVal(g.Planner, path, t, plan.Of(plan.Call{Func: elem.Func, Notes: []string{"iterate the list and call the type's validation function"}}))
	case n.Kind == types.Map:
		vals = declarative.ForEachVal(g.Planner, path, t, plan.Of(plan.Call{Func: elem.Func, Notes: []string{"iterate the map and call the value type's validation function"}}))
	}
	return keys, vals
}

// onlyMarked tells whether all rules of a type are of the OpenAPI kind, which do not hold for the
// keys of a map: in a schema keys have no constraints.
func (n *Node) onlyMarked() bool {
	return !slices.ContainsFunc(n.Plan.Calls, func(c plan.Call) bool { return !c.Marked })
}

// ElemNode is what the items of a list or the values of a map are; of lists in one, their items.
func (n *Node) ElemNode() *Node {
	switch {
	case n == nil:
		return nil
	case n.Elem != nil && n.Elem.Type.Kind == types.Slice:
		return n.Elem.Node.ElemNode()
	case n.Elem != nil:
		return n.Elem.Node
	case n.Under != nil && n.Under.Node != nil && n.Under.Node.Elem != nil:
		return n.Under.Node.ElemNode()
	}
	return nil
}

func (n *Node) KeyNode() *Node {
	switch {
	case n == nil:
		return nil
	case n.Key != nil:
		return n.Key.Node
	case n.Under != nil && n.Under.Node != nil && n.Under.Node.Key != nil:
		return n.Under.Node.Key.Node
	}
	return nil
}

// checkShape reports rules on values that can't be looked into, and takes them out of the plan.
func (g *Graph) checkShape(s *rule.Site, said *plan.Plan) {
	why := shape.Unsupported(s.Type)
	if why == "" && shape.MapOfLists(s.Type) {
		why = "it is a map of lists"
	}
	looks := len(said.Calls) == 0 || slices.ContainsFunc(said.Calls, func(c plan.Call) bool { return !c.AnyShape })
	if why == "" || !said.Prints() || !looks {
		return
	}
	left := g.Problem(s.Origin, nil, "", plan.Fault{Message: why + ", which can't be validated by tags", Cure: "put a struct between the two, or write the rule in the strategy's Validate"})
	*said = plan.Plan{Opaque: said.Opaque, OpaqueKey: said.OpaqueKey, OpaqueVal: said.OpaqueVal, Left: left}
}

// checkLimits reports bounds that leave nothing valid.
func (g *Graph) checkLimits(o rule.Origin, said plan.Plan) {
	if message := plan.Contradictions(said.Calls); message != "" {
		g.Problem(o, nil, "", plan.Fault{Message: message, Cure: "correct one of the two"})
	}
}

// Validates tells whether anything is to be called for values of the type.
func (n *Node) Validates() bool { return n.anywhere((*plan.Plan).Prints, map[*Node]bool{}) }

// says tells whether a tag of the type, or of what is in it, says what is valid.
func (n *Node) says() bool { return n.anywhere((*plan.Plan).Says, map[*Node]bool{}) }

// anywhere tells whether something is true of a plan of the type or of what is in it.
func (n *Node) anywhere(is func(*plan.Plan) bool, seen map[*Node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	if is(&n.Plan) {
		return true
	}
	if n.Plan.Opaque {
		return false
	}
	if n.Under != nil {
		if is(&n.EachKey) && n.KeyNode().anywhere(is, seen) || is(&n.EachVal) && n.ElemNode().anywhere(is, seen) || n.Under.Node.anywhere(is, seen) {
			return true
		}
	}
	for _, f := range n.Fields {
		if is(&f.Plan) || is(&f.EachKey) && f.Node.KeyNode().anywhere(is, seen) ||
			is(&f.EachVal) && f.Node.ElemNode().anywhere(is, seen) || f.Node.anywhere(is, seen) {
			return true
		}
	}
	return false
}
