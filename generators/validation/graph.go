package validation

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/model"
)

// node is a type with what its tags ask for. All of it holds wherever the type is used.
type node struct {
	typ *types.Type // never a pointer
	// fn is the function that validates values of the type, as its own package calls it; zero for types without a name.
	fn emit.Ident
	// used says that another type has values of this one.
	used bool

	fields []*part
	// key, elem and under are the keys and items of a map or list, and the type below a declared name.
	key, elem, under *part

	plan plan
	// eachKey and eachVal call the functions of the keys' and items' types. They are printed if these have one.
	eachKey, eachVal plan
}

// part is a field, or one of the other parts of a node.
type part struct {
	name, json string
	member     *types.Member
	typ        *types.Type
	node       *node // nil for what is not looked into
	plan       plan
	eachKey    plan
	eachVal    plan
}

// discover returns the node of a type, a pointer's of what it points to. It is nil for what is not looked into: types
// that the server itself validates, and shapes that the library has no functions for, like lists of lists.
func (p *planner) discover(t *types.Type, path string) *node {
	if p.skipped(t) || unsupported(t) != "" {
		return nil
	}
	if t.Kind == types.Pointer && t.Name.Package == "" {
		return p.discover(t.Elem, path)
	}
	defer p.under(p.under(p.lawOf(t)))
	if n := p.nodes[t]; n != nil {
		return n
	}
	p.readComments(t.Name.Package)
	n := &node{typ: t}
	p.nodes[t] = n
	if t.Kind == types.Alias || t.Kind == types.Struct {
		if t.Name.Package != "" {
			path = t.Name.String()
			n.fn = emit.Ident{Path: t.Name.Package, Name: "Validate_" + t.Name.Name}
		}
	}
	switch t.Kind {
	case types.Alias:
		n.under = p.partOf(t.Underlying, path)
	case types.Struct:
		p.discoverFields(n, path)
	case types.Slice:
		n.elem = p.partOf(t.Elem, path+"[vals]")
	case types.Map:
		n.key, n.elem = p.partOf(t.Key, path+"[keys]"), p.partOf(t.Elem, path+"[vals]")
	}
	if t.Name.Package != "" && (t.Kind == types.Alias || t.Kind == types.Struct) {
		p.discoverRules(n, path)
	}
	return n
}

func (p *planner) partOf(t *types.Type, path string) *part {
	return &part{typ: t, node: p.use(t, path)}
}

// use discovers a type that another one has values of.
func (p *planner) use(t *types.Type, path string) *node {
	n := p.discover(t, path)
	if n != nil {
		n.used = true
	}
	return n
}

// skipped tells whether a type is validated by the server, whatever its tags say: the metadata of objects.
func (p *planner) skipped(t *types.Type) bool {
	return t.Name.Package == metaV1 && slices.Contains([]string{"TypeMeta", "ObjectMeta", "ListMeta"}, t.Name.Name)
}

// unsupported says why values of a type can't be looked into; "" if they can.
func unsupported(t *types.Type) string {
	switch t.Kind {
	case types.Alias:
		return unsupported(t.Underlying)
	case types.Builtin, types.Struct, types.Interface:
		return ""
	case types.Pointer:
		if t.Name.Package != "" {
			return "it is a declared pointer"
		}
		switch native(t.Elem).Kind {
		case types.Pointer, types.Slice, types.Array, types.Map:
			return "it is a pointer to " + aKind(t.Elem)
		}
		return unsupported(t.Elem)
	case types.Slice:
		item := native(t.Elem)
		if item.Kind == types.Slice && native(item.Elem).Name.Name != "byte" || item.Kind == types.Map || item.Kind == types.Array {
			return "it is a list of " + kindName(t.Elem) + "s"
		}
		return ""
	case types.Map:
		value := native(t.Elem)
		switch {
		case !isString(native(t.Key)):
			return "it is a map whose keys are no strings"
		case value.Kind == types.Pointer || value.Kind == types.Map || value.Kind == types.Array:
			return "it is a map of " + kindName(t.Elem) + "s"
		}
		return ""
	}
	return "it is " + article(strings.ToLower(string(t.Kind)))
}

// mapOfLists is the one shape that may be there and must not have rules.
func mapOfLists(t *types.Type) bool {
	b := bare(t)
	return b.Kind == types.Map && native(b.Elem).Kind == types.Slice && b.Elem.Kind == types.Slice
}

// discoverRules reads the tags of a type. It does so after the type's parts were discovered, so that rules know them.
func (p *planner) discoverRules(n *node, path string) {
	s := &site{
		scope: onType, typ: n.typ, path: path, constants: p.constantsOf(n.typ),
		origin: origin{owner: n.typ, markers: p.model.OfType(n.typ)},
	}
	waiting := n.plan.later
	n.plan.later = nil
	n.plan.add(p.plansOf(s))
	p.checkShape(s, &n.plan)
	if n.typ.Kind == types.Alias {
		n.eachKey, n.eachVal = p.eachOf(path, n.typ, n.keyNode(), n.elemNode(), n.plan)
	}
	waiting, n.plan.later = append(waiting, n.plan.later...), nil
	_ = settle(waiting, func(_ bool, made plan) { n.plan.add(made) }) // its makers report
	p.checkLimits(s, n.plan)
	n.plan.separateTrials()
}

// eachOf are the calls of the functions that the types of keys and items have.
func (p *planner) eachOf(path string, t *types.Type, key, elem *node, said plan) (keys, vals plan) {
	n := model.Pointee(native(t))
	if n.Kind == types.Map && key != nil && key.fn.Name != "" && !said.opaqueKey {
		keys = p.forEachKey(t, of(call{fn: key.fn, notes: []string{"iterate the map and call the key type's validation function"}}))
	}
	if elem == nil || elem.fn.Name == "" || said.opaqueVal {
		return keys, vals
	}
	switch n.Kind {
	case types.Slice:
		vals = p.forEachVal(path, t, of(call{fn: elem.fn, notes: []string{"iterate the list and call the type's validation function"}}))
	case types.Map:
		vals = p.forEachVal(path, t, of(call{fn: elem.fn, notes: []string{"iterate the map and call the value type's validation function"}}))
	}
	return keys, vals
}

func (n *node) elemNode() *node {
	switch {
	case n == nil:
		return nil
	case n.elem != nil:
		return n.elem.node
	case n.under != nil && n.under.node != nil && n.under.node.elem != nil:
		return n.under.node.elem.node
	}
	return nil
}

func (n *node) keyNode() *node {
	switch {
	case n == nil:
		return nil
	case n.key != nil:
		return n.key.node
	case n.under != nil && n.under.node != nil && n.under.node.key != nil:
		return n.under.node.key.node
	}
	return nil
}

// checkShape reports rules on values that can't be looked into, and takes them out of the plan.
func (p *planner) checkShape(s *site, said *plan) {
	why := unsupported(s.typ)
	if why == "" && mapOfLists(s.typ) {
		why = "it is a map of lists"
	}
	if why == "" || !said.prints() {
		return
	}
	left := p.problem(s.origin, nil, "", fault{why + ", which can't be validated by tags", "put a struct between the two, or write the rule in the strategy's Validate"})
	*said = plan{opaque: said.opaque, opaqueKey: said.opaqueKey, opaqueVal: said.opaqueVal, left: left}
}

// checkLimits reports bounds that leave nothing valid.
func (p *planner) checkLimits(s *site, said plan) {
	if message := contradictions(said.calls); message != "" {
		p.problem(s.origin, nil, "", fault{message, "correct one of the two"})
	}
}

// validates tells whether anything is to be called for values of the type.
func (n *node) validates() bool { return n.validatesBut(map[*node]bool{}) }

func (n *node) validatesBut(seen map[*node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	if n.plan.prints() {
		return true
	}
	if n.plan.opaque {
		return false
	}
	if n.under != nil {
		if n.eachKey.prints() && n.keyNode().validatesBut(seen) || n.eachVal.prints() && n.elemNode().validatesBut(seen) || n.under.node.validatesBut(seen) {
			return true
		}
	}
	for _, f := range n.fields {
		if f.plan.prints() || f.eachKey.prints() && f.node.keyNode().validatesBut(seen) ||
			f.eachVal.prints() && f.node.elemNode().validatesBut(seen) || f.node.validatesBut(seen) {
			return true
		}
	}
	return false
}
