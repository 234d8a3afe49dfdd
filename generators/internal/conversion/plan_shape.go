package conversion

import (
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// shape describes a member of a struct in the hub. version is its type in the version, nil if it is
// not there, and around the structs that have the member. byHand says that a function written by
// hand converts it or what is around it.
func (p *planner) shape(hub, version *types.Type, byHand bool, m types.Member, around way, above []*types.Type) *shape {
	if version == nil && !byHand || opaque(hub) || slices.Contains(above, hub) {
		return nil
	}
	if version != nil && !byHand {
		if !p.mayLose(hub, version, map[way]bool{}) {
			return nil
		}
		byHand = p.byFunction(hub, version) || model.Underlying(hub).Kind != model.Underlying(version).Kind
	}
	above = append(slices.Clone(above), hub)
	x, elem := model.Underlying(hub), (*types.Type)(nil)
	if version != nil && model.Underlying(version).Kind == x.Kind {
		elem = model.Underlying(version).Elem
	}
	switch x.Kind {
	case types.Pointer:
		return p.shape(x.Elem, elem, byHand, m, around, above)
	case types.Map:
		return &shape{isMap: true, elem: p.shape(x.Elem, elem, byHand, types.Member{}, way{}, above)}
	case types.Array:
		return &shape{isList: true, aligned: true}
	case types.Slice:
		if model.Underlying(x.Elem) == types.Byte {
			return nil
		}
		s := &shape{isList: true, aligned: !byHand, keys: p.keys(m, around)}
		if len(s.keys) > 0 {
			s.elem = p.shape(x.Elem, elem, byHand, types.Member{}, way{}, above)
		}
		return s
	case types.Struct:
		return p.structShape(hub, version, byHand, above)
	}
	return nil
}

func (p *planner) structShape(hub, version *types.Type, byHand bool, above []*types.Type) *shape {
	s := &shape{}
	for _, m := range hub.Members {
		inner := p.shape(m.Type, p.counterpart(hub, m, version), byHand, m, way{hub, version}, above)
		switch {
		case inner == nil:
		case m.Embedded && jsonKey(m) == "":
			s.fields = append(s.fields, inner.fields...)
		default:
			s.fields = append(s.fields, shapeField{key: jsonKey(m), shape: inner})
		}
	}
	if len(s.fields) == 0 {
		return nil
	}
	return s
}

// keys returns what the fields of a list's items are called in the hub's JSON that tell them apart;
// the version says it, or the hub.
func (p *planner) keys(m types.Member, around way) []string {
	type declaration struct {
		owner *types.Type
		types.Member
	}
	declared := []declaration{{around.in, m}}
	if around.out != nil {
		if n, found := member(around.out, m.Name); found {
			declared = append([]declaration{{around.out, n}}, declared...)
		}
	}
	item := m.Type
	for item != nil && item.Kind != types.Struct {
		item = model.Underlying(item).Elem
	}
	for _, d := range declared {
		if d.owner == nil {
			continue
		}
		markers := p.model.OfField(d.owner, d.Name)
		names := append(markers.Values("listMapKey"), markers.Values("k8s:listMapKey")...)
		from := d.Type
		for from != nil && from.Kind != types.Struct {
			from = model.Underlying(from).Elem
		}
		if len(names) == 0 || item == nil || from == nil {
			continue
		}
		var out []string
		for _, f := range from.Members {
			if n, found := member(item, f.Name); found && slices.Contains(names, jsonName(f)) {
				out = append(out, jsonKey(n))
			}
		}
		if len(out) == len(names) {
			return out
		}
	}
	return nil
}

// jsonKey is what encoding/json calls a field; "" if its fields are taken for those of the struct
// around it.
func jsonKey(m types.Member) string {
	switch name := jsonName(m); {
	case name != m.Name || !m.Embedded:
		return name
	}
	return ""
}
