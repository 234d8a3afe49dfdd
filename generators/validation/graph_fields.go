package validation

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/model"
)

// discoverFields reads the fields of a struct and their tags.
func (p *planner) discoverFields(n *node, path string) {
	for i := range n.typ.Members {
		m := &n.typ.Members[i]
		if first, _ := utf8.DecodeRuneInString(m.Name); !unicode.IsUpper(first) || hidden(*m) {
			continue
		}
		n.fields = append(n.fields, p.discoverField(n, m, path))
	}
	for _, f := range n.fields {
		p.settleField(n, f, path)
	}
}

func (p *planner) discoverField(n *node, m *types.Member, path string) *part {
	f := &part{name: m.Name, json: jsonName(*m), member: m, typ: m.Type}
	s := p.fieldSite(n, f, path)
	f.node = p.use(m.Type, s.path)
	f.plan = p.presenceOf(s)
	f.plan.add(p.plansOf(s))
	p.checkShape(s, &f.plan)
	if f.node == nil && p.hides(m.Type) && !f.plan.opaque && !f.plan.opaqueVal {
		p.problem(s.origin, nil, "", fault{unsupported(m.Type) + ", so the rules of " + innermost(m.Type).Name.Name + " can't be applied",
			"put a struct between the two, or tag the field +k8s:opaqueType and write the rules in the strategy's Validate"})
	}
	if f.plan.opaque {
		f.node = nil
	}
	key, elem := f.node.keyNode(), f.node.elemNode()
	if f.node != nil && f.node.elem == nil && m.Type.Kind == types.Slice || f.node != nil && m.Type.Kind == types.Map && f.node.elem == nil {
		key, elem = p.nodes[m.Type.Key], p.nodes[model.Pointee(m.Type.Elem)] // the type is still being discovered
	}
	if m.Type.Kind == types.Slice || m.Type.Kind == types.Map {
		f.eachKey, f.eachVal = p.eachOf(s.path, m.Type, key, elem, f.plan)
	}
	return f
}

func (p *planner) fieldSite(n *node, f *part, path string) *site {
	name := f.json
	if name == "" {
		name = f.name
	}
	return &site{
		scope: onField, typ: f.typ, path: path + "." + name, member: f.member, parentPath: path, parentType: n.typ,
		origin: origin{owner: n.typ, field: f.name, markers: p.model.OfField(n.typ, f.name)},
	}
}

// settleField makes the plans that had to wait for all fields.
func (p *planner) settleField(n *node, f *part, path string) {
	waiting := f.plan.later
	f.plan.later = nil
	_ = settle(waiting, func(around bool, made plan) { // its makers report
		if around {
			n.plan.add(made)
			return
		}
		f.plan.add(made)
	})
	s := p.fieldSite(n, f, path)
	p.checkLimits(s, f.plan)
	p.skipOmitted(s, f)
	f.plan.separateTrials()
}

// skipOmitted lets a field that was left out be valid, where only rules of the OpenAPI kind are about it: these hold
// for values that are there.
func (p *planner) skipOmitted(s *site, f *part) {
	ofType := f.node != nil && f.node.plan.marked
	if !f.plan.marked && !ofType || !p.mayBeOmitted(s) {
		return
	}
	skip, err := skipUnset(f.typ)
	if err != nil {
		return // a struct is always there
	}
	f.plan.calls = append([]call{skip}, f.plan.calls...)
}

// mayBeOmitted tells whether the field may be left out as the OpenAPI tags understand it. Tags of declarative validation
// say it themselves.
func (p *planner) mayBeOmitted(s *site) bool {
	for _, own := range ownPresence {
		if hasRule(s, own) {
			return false
		}
	}
	switch p.presenceAround(s) {
	case markerRequired:
		return false
	case markerOptional:
		return true
	}
	return omitted(*s.member) || s.origin.markers.Has("optional") || s.typ.Kind == types.Pointer
}

// hides tells whether a type that can't be looked into has values of a type with rules.
func (p *planner) hides(t *types.Type) bool {
	if unsupported(t) == "" {
		return false
	}
	in := innermost(t)
	if in.Name.Package == "" || p.skipped(in) {
		return false
	}
	return p.discover(in, in.String()).validates()
}

// innermost is the declared type, or the basic one, that a type is made of.
func innermost(t *types.Type) *types.Type {
	for t.Elem != nil && (t.Name.Package == "" || slices.Contains([]types.Kind{types.Pointer, types.Array}, t.Kind)) {
		t = t.Elem
	}
	return t
}
