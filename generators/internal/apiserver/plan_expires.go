package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// findExpiries reads +typeplane:expires=.spec.until of each kind. One of the versions is enough;
// what is read is the field of the hub with the same Go names.
func (p *planner) findExpiries(hubs []*hub) {
	for _, h := range hubs {
		for _, v := range h.versions {
			for _, path := range v.markers.Values(tagExpires) {
				p.expires(h, v, path)
			}
		}
	}
}

func (p *planner) expires(h *hub, v *version, path string) {
	f, message, cure := followTime(v.goType, h.goType, path)
	switch {
	case message != "":
	case h.strategy != nil && h.strategy.has("Expires"):
		message, cure = "the method Expires of its strategy says it already", "remove one of them"
	case h.expires != nil && h.expires.value != f.value:
		message, cure = "it says another field elsewhere", "say it in one version only, or the same in all"
	}
	if message != "" {
		p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s=%s: %s", tagExpires, path, message), cure)
		return
	}
	h.expires = &f
}

// followTime compiles a path to a time of the hub, or says what is wrong with it.
func followTime(kind, hub *types.Type, path string) (f target, message, cure string) {
	label, ok := jsonPath(path)
	if !ok {
		return f, "it is no path of plain fields", "write a path of JSON names, like .spec.until"
	}
	if f, message, cure = resolve(kind, label); message != "" {
		return f, message, cure
	}
	if hub != kind {
		if f, ok = sameFields(hub, f.steps); !ok {
			return f, fmt.Sprintf("%s, which the server works with, has no such field", hub), "give it one of the same name, or write a method Expires of the strategy"
		}
	}
	if !isTime(f.leaf) {
		return f, fmt.Sprintf("%s is a %s", strings.TrimPrefix(shown(f.value, kind), "*"), f.leaf), "name a metav1.Time"
	}
	return f, "", ""
}

func isTime(t *types.Type) bool { return t.Name == types.Name{Package: metaV1, Name: "Time"} }

// sameFields finds the fields of the same Go names in another struct; ok is false if one is
// missing.
func sameFields(at *types.Type, steps []fieldOf) (f target, ok bool) {
	f.value = "in"
	for _, step := range steps {
		if at.Kind == types.Pointer {
			f.guards = append(f.guards, guard{f.value, at.Elem})
			at = at.Elem
		}
		i := slices.IndexFunc(at.Members, func(m types.Member) bool { return m.Name == step.member.Name })
		if at.Kind != types.Struct || i < 0 {
			return f, false
		}
		f.value += "." + step.member.Name
		at = at.Members[i].Type
	}
	if at.Kind == types.Pointer {
		f.guards = append(f.guards, guard{f.value, at.Elem})
		f.value, at = "*"+f.value, at.Elem
	}
	f.leaf = at
	return f, true
}
