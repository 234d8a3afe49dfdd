package graph

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/marker"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// discoverFields reads the fields of a struct and their tags.
func (g *Graph) discoverFields(n *Node, path string) {
	for i := range n.Type.Members {
		m := &n.Type.Members[i]
		if first, _ := utf8.DecodeRuneInString(m.Name); !unicode.IsUpper(first) || shape.Hidden(*m) {
			continue
		}
		n.Fields = append(n.Fields, g.discoverField(n, m, path))
	}
	for _, f := range n.Fields {
		g.settleField(n, f, path)
	}
}

func (g *Graph) discoverField(n *Node, m *types.Member, path string) *Part {
	f := &Part{Name: m.Name, JSON: shape.JSONName(*m), member: m, Type: m.Type}
	s := g.fieldSite(n, f, path)
	f.Node = g.use(m.Type, s.Path)
	if !g.skipped(m.Type) && !shape.OwnJSON(n.Type) {
		f.Plan = marker.PresenceOf(g.Planner, s)
	}
	f.Plan.Add(g.PlansOf(s))
	g.checkShape(s, &f.Plan)
	if f.Node == nil && g.hides(m.Type) && !f.Plan.Opaque && !f.Plan.OpaqueVal {
		g.Problem(s.Origin, nil, "", plan.Fault{Message: shape.Unsupported(m.Type) + ", so the rules of " + shape.Innermost(m.Type).Name.Name + " can't be applied",
			Cure: "put a struct between the two, or tag the field +k8s:opaqueType and write the rules in the strategy's Validate"})
	}
	if in := shape.Innermost(m.Type); in.Kind == types.Struct && in.Name.Package == "" && g.Nodes()[in].Validates() && !f.Plan.Opaque {
		g.Problem(s.Origin, nil, "", plan.Fault{Message: "it is a struct without a name, so the rules in it can't be applied", Cure: "give the struct a name"})
		f.Node = nil
	}
	if f.Plan.Opaque {
		f.Node = nil
	}
	key, elem := f.Node.KeyNode(), f.Node.ElemNode()
	if f.Node != nil && f.Node.Elem == nil && m.Type.Kind == types.Slice || f.Node != nil && m.Type.Kind == types.Map && f.Node.Elem == nil {
		key, elem = g.Nodes()[m.Type.Key], g.Nodes()[model.Pointee(m.Type.Elem)] // the type is still being discovered
	}
	if m.Type.Kind == types.Slice || m.Type.Kind == types.Map || shape.IsPointerToList(m.Type) {
		f.EachKey, f.EachVal = g.eachOf(s.Path, m.Type, key, elem, f.Plan)
	}
	return f
}

func (g *Graph) fieldSite(n *Node, f *Part, path string) *rule.Site {
	name := f.JSON
	if name == "" {
		name = f.Name
	}
	return &rule.Site{
		Scope: rule.OnField, Type: f.Type, Path: path + "." + name, Member: f.member, ParentPath: path, ParentType: n.Type,
		Origin: rule.Origin{Owner: n.Type, Field: f.Name, Markers: g.Model.OfField(n.Type, f.Name)},
	}
}

// settleField makes the plans that had to wait for all fields.
func (g *Graph) settleField(n *Node, f *Part, path string) {
	waiting := f.Plan.Later
	f.Plan.Later = nil
	_ = plan.Settle(waiting, func(around bool, made plan.Plan) { // its makers report
		if around {
			n.Plan.Add(made)
			return
		}
		f.Plan.Add(made)
	})
	s := g.fieldSite(n, f, path)
	g.checkLimits(s.Origin, f.Plan)
	g.skipOmitted(s, f)
	f.Optional = g.Law == rule.OfResources && f.JSON != "" && shape.Native(f.Type).Kind == types.Struct && !shape.OwnJSON(n.Type) && (g.mayBeOmitted(s) || g.mayBeNull(s))
	g.settleTrials(n, &f.Plan)
	g.dropIdle(n, f)
}

// skipOmitted lets a field that was left out be valid, where only rules of the OpenAPI kind are
// about it: these hold for values that are there.
func (g *Graph) skipOmitted(s *rule.Site, f *Part) {
	ofType := f.Node != nil && f.Node.Plan.Marked
	if !f.Plan.Marked && !ofType || !g.mayBeOmitted(s) && !g.mayBeNull(s) {
		return
	}
	skip, err := marker.SkipLeftOut(g.Planner, f.Type)
	if err != nil {
		return // a struct is always there
	}
	first := []plan.Call{skip}
	if g.mayBeNull(s) && (oneOfSeveral(f.Plan) || ofType && oneOfSeveral(f.Node.Plan)) {
		first = []plan.Call{{Func: plan.Runtime("NotNull"), Stop: true, Emits: []plan.Emission{{Type: notSupported}}}, skip}
	}
	f.Plan.Calls = append(first, f.Plan.Calls...)
}

const notSupported = "FieldValueNotSupported"

// oneOfSeveral tells whether a plan looks for the value in an enum.
func oneOfSeveral(p plan.Plan) bool {
	return slices.ContainsFunc(p.Calls, func(c plan.Call) bool {
		return slices.ContainsFunc(c.Emits, func(e plan.Emission) bool { return e.Type == notSupported })
	})
}

// mayBeNull tells whether null can stand for the field, so that it is there and nothing else of it
// is judged.
func (g *Graph) mayBeNull(s *rule.Site) bool {
	markers := s.Origin.Markers
	return g.Law == rule.OfResources && (markers.On("nullable") || markers.On("k8s:validation:nullable"))
}

// mayBeOmitted tells whether the field may be left out as the OpenAPI tags understand it. Tags of
// declarative validation say it themselves.
func (g *Graph) mayBeOmitted(s *rule.Site) bool {
	for _, own := range marker.OwnPresence {
		if rule.HasRule(s, own) {
			return false
		}
	}
	switch marker.PresenceAround(g.Planner, s) {
	case marker.Required:
		return false
	case marker.Optional:
		return true
	}
	return shape.Omitted(*s.Member) || s.Origin.Markers.On("optional") || s.Type.Kind == types.Pointer
}

// hides tells whether a type that can't be looked into has values of a type with rules.
func (g *Graph) hides(t *types.Type) bool {
	if shape.Unsupported(t) == "" {
		return false
	}
	in := shape.Innermost(t)
	if in.Name.Package == "" || g.skipped(in) {
		return false
	}
	return g.Discover(in, in.String()).says()
}
