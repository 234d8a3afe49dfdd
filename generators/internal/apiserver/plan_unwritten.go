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

// findByMethods finds the hubs of the versions that convert by methods.
func (p *planner) findByMethods(versions []*version) {
	for _, kind := range byKind(versions) {
		hub := slices.IndexFunc(kind, func(v *version) bool { return v.goType.Methods[methodHub] != nil })
		for _, v := range kind {
			if v.hub != v.goType || !converts(v.goType) {
				continue
			}
			if hub < 0 {
				p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("it has the methods %s and %s, and no version of the kind has the method %s", methodConvertTo, methodConvertFrom, methodHub),
					"write func (*"+v.goType.Name.Name+") "+methodHub+"() {} for the version that the others convert to")
				continue
			}
			v.hub, v.by = kind[hub].goType, conversionByMethods
		}
	}
}

// converts tells whether a type has the methods of controller-runtime's Convertible.
func converts(t *types.Type) bool {
	method := func(name string) bool {
		m := t.Methods[name]
		return m != nil && m.Signature != nil && len(m.Signature.Parameters) == 1 && m.Signature.Parameters[0].Type.Kind == types.Interface &&
			len(m.Signature.Results) == 1 && m.Signature.Results[0].Type.Name.Name == "error"
	}
	return method(methodConvertTo) && method(methodConvertFrom)
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
				p.warnOfLoss(v, stored)
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

// warnOfLoss says which fields one of two versions has alone: there is nobody who converts them.
func (p *planner) warnOfLoss(v, stored *version) {
	var parts []string
	if lost := alone(stored.goType, v.goType); len(lost) > 0 {
		parts = append(parts, fmt.Sprintf("%s is not in %s, and whoever updates an object there removes it", someOf(lost), v.gv))
	}
	if lost := alone(v.goType, stored.goType); len(lost) > 0 {
		parts = append(parts, fmt.Sprintf("%s is not in %s, and not kept", someOf(lost), stored.gv))
	}
	if len(parts) > 0 {
		p.report.Warn(problemAt(v.pos, v.goType.Name.Name, fmt.Sprintf("nobody has written how it converts to %s, which is stored, so that both are the same JSON: %s",
			stored.gv, strings.Join(parts, "; ")), "say +"+tagConversion+"="+stored.pkg.Path+" in doc.go"))
	}
}

// alone are the fields, as JSON has them, that a type has and another one has not.
func alone(t, other *types.Type) []string {
	c := comparison{seen: map[[2]*types.Type]bool{}}
	c.value(t, other, "")
	return c.alone
}

type comparison struct {
	seen  map[[2]*types.Type]bool
	alone []string
}

func (c *comparison) value(t, other *types.Type, path string) {
	t, other = model.Plain(t), model.Plain(other)
	switch pair := [2]*types.Type{t, other}; {
	case t == other || c.seen[pair] || t.Kind != other.Kind:
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
