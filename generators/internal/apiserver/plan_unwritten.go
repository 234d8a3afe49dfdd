package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// The methods by which versions convert in controller-runtime: Hub marks the version that the
// others convert to, by the other two.
const (
	methodHub         = "Hub"
	methodConvertTo   = "ConvertTo"
	methodConvertFrom = "ConvertFrom"
)

// findByMethods finds the hubs of the versions that convert by methods. These are asked also where
// there are functions of conversion-gen: they call these, and do more.
func (p *planner) findByMethods(versions []*version) {
	for _, kind := range byKind(versions) {
		hub := p.markedHub(kind)
		for _, v := range kind {
			to, from := v.method(methodConvertTo, convertible), v.method(methodConvertFrom, convertible)
			name := v.goType.Name.Name
			switch {
			case to != from:
				p.problem(v.pos, name, "it has one of the methods "+methodConvertTo+" and "+methodConvertFrom, "write both, or none")
			case hub == nil && to && v.hub == v.goType:
				p.problem(v.pos, name, fmt.Sprintf("it has the methods %s and %s, and no version of the kind has the method %s", methodConvertTo, methodConvertFrom, methodHub),
					"write func (*"+name+") "+methodHub+"() {} for the version that the others convert to")
			case hub == nil || hub.hub != hub.goType || v.method(methodHub, isMark):
			case to:
				v.hub, v.by = hub.goType, conversionByMethods
			case v.hub == v.goType:
				p.problem(v.pos, name, fmt.Sprintf("%s has the method %s, and this version does not convert to it", hub.gv, methodHub), "write the methods "+methodConvertTo+" and "+methodConvertFrom)
			}
		}
	}
}

// markedHub is the version of a kind that has the method Hub; nil if none has.
func (p *planner) markedHub(kind []*version) (hub *version) {
	for _, v := range kind {
		switch {
		case !v.method(methodHub, isMark):
		case hub != nil:
			p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("it has the method %s, which %s has too", methodHub, hub.gv), "let all versions convert to one of them")
		default:
			hub = v
		}
	}
	return hub
}

// method tells whether the type has a method of controller-runtime's.
func (v *version) method(name string, is func(*types.Signature) bool) bool {
	m := v.goType.Methods[name]
	return m != nil && m.Signature != nil && is(m.Signature)
}

func isMark(s *types.Signature) bool { return len(s.Parameters) == 0 && len(s.Results) == 0 }

// convertible tells whether a method is one of controller-runtime's Convertible.
func convertible(s *types.Signature) bool {
	return len(s.Parameters) == 1 && s.Parameters[0].Type.Kind == types.Interface && len(s.Results) == 1 && s.Results[0].Type.Name.Name == "error"
}

// findSameJSON lets the versions of a kind for which nobody has written a conversion convert by
// their JSON, to the storage version.
func (p *planner) findSameJSON(versions []*version) {
	isHub := map[*types.Type]bool{}
	for _, v := range versions {
		isHub[v.hub] = isHub[v.hub] || v.hub != v.goType
	}
	for _, kind := range byKind(versions) {
		if slices.ContainsFunc(kind, func(v *version) bool { return v.hub != v.goType || isHub[v.goType] }) || twice(kind) {
			continue
		}
		stored := bestServed(kind)
		if marked := markedStored(kind); len(marked) > 0 {
			stored = marked[0]
		}
		for _, v := range kind {
			if v == stored {
				continue
			}
			v.hub, v.by = stored.goType, conversionByJSON
			if v.served {
				p.checkLoss(v, stored)
			}
		}
	}
}

// byKind sorts versions by their kinds, the best version first.
func byKind(versions []*version) map[schema.GroupKind][]*version {
	out := map[schema.GroupKind][]*version{}
	for _, v := range versions {
		gk := schema.GroupKind{Group: v.gv.Group, Kind: v.goType.Name.Name}
		out[gk] = append(out[gk], v)
	}
	for _, kind := range out {
		slices.SortFunc(kind, func(a, b *version) int { return compareGroupVersions(a.gv, b.gv) })
	}
	return out
}

// twice tells whether two packages have the kind in the same version, which is reported elsewhere.
func twice(kind []*version) bool {
	for i, v := range kind[1:] {
		if v.gv == kind[i].gv {
			return true
		}
	}
	return false
}

// checkLoss says which fields one of two versions has alone, or as what the other can't read: there
// is nobody who converts them.
func (p *planner) checkLoss(v, stored *version) {
	unwritten := fmt.Sprintf("nobody has written how it converts to %s, which is stored, so that both are the same JSON: ", stored.gv)
	here := compared(v.goType, stored.goType)
	if len(here.odd) > 0 {
		p.problem(v.pos, v.goType.Name.Name, unwritten+strings.Join(here.odd, "; "), "write the methods "+methodConvertTo+" and "+methodConvertFrom+", or a function for +"+tagConversion+"="+stored.pkg.Path)
		return
	}
	parts := here.unlike
	if lost := compared(stored.goType, v.goType).alone; len(lost) > 0 {
		parts = append(parts, fmt.Sprintf("%s is not in %s, and whoever updates an object there removes it", someOf(lost), v.gv))
	}
	if lost := here.alone; len(lost) > 0 {
		parts = append(parts, fmt.Sprintf("%s is not in %s, and not kept", someOf(lost), stored.gv))
	}
	if len(parts) > 0 {
		p.report.Warn(problemAt(v.pos, v.goType.Name.Name, unwritten+strings.Join(parts, "; "), "say +"+tagConversion+"="+stored.pkg.Path+" in doc.go"))
	}
}

// compared compares what a type looks like in JSON with another one.
func compared(t, other *types.Type) *comparison {
	c := &comparison{seen: map[[2]*types.Type]bool{}}
	c.value(t, other, "")
	return c
}

type comparison struct {
	seen map[[2]*types.Type]bool
	// alone are the fields, as JSON has them, that the one type has and the other one has not.
	alone []string
	// odd says of which fields no value can be one of the other type, and unlike of which some may
	// not be.
	odd, unlike []string
}

func (c *comparison) value(t, other *types.Type, path string) {
	said := fmt.Sprintf("%s is %s and %s", path, model.GoName(t), model.GoName(other))
	a, b := model.JSONKind(t), model.JSONKind(other)
	copied := model.Pointee(t).Name.Name == model.Pointee(other).Name.Name
	t, other = model.Plain(t), model.Plain(other)
	switch pair := [2]*types.Type{t, other}; {
	case t == other && a == b || c.seen[pair] || t.Kind == types.Interface || other.Kind == types.Interface:
		return
	case a == "" && b == "" && copied:
		return // each version has its own copy of a type with its own JSON
	case a == "" || b == "" || a != b && isNumber(a) && isNumber(b):
		c.unlike = append(c.unlike, said)
		return
	case a != b:
		c.odd = append(c.odd, said)
		return
	case t.Kind != other.Kind && t.Elem == nil != (other.Elem == nil): // a struct and a map
		c.unlike = append(c.unlike, said)
		return
	case t.Elem != nil && other.Elem != nil:
		c.value(t.Elem, other.Elem, path)
		return
	default:
		c.seen[pair] = true
	}
	for _, m := range fieldsInJSON(t) {
		name := model.JSONName(m)
		at := strings.TrimPrefix(path+"."+name, ".")
		_, theirs := jsonField(other, name)
		if theirs == nil {
			c.alone = append(c.alone, at)
			continue
		}
		c.value(m.Type, theirs, at)
	}
}

func isNumber(kind string) bool { return kind == "integer" || kind == "number" }

// fieldsInJSON are the fields of a struct, those of embedded structs among them.
func fieldsInJSON(t *types.Type) (out []types.Member) {
	for _, m := range t.Members {
		if inner := model.Inlined(m); inner != nil {
			out = append(out, fieldsInJSON(inner)...)
		} else if model.JSONName(m) != "" {
			out = append(out, m)
		}
	}
	return out
}
