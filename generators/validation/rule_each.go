package validation

import (
	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func eachRules() []rule {
	return []rule{
		{name: "k8s:eachVal", scopes: onLists, value: innerTag, example: "+k8s:eachVal=+k8s:minimum=1",
			doc:  "Applies a tag to every item of a list or every value of a map.",
			plan: func(p *planner, s *site, t codetags.Tag) (plan, error) { return p.eachVal(s, *t.ValueTag) }},
		{name: "k8s:eachKey", scopes: onLists, value: innerTag, example: "+k8s:eachKey=+k8s:format=k8s-label-key",
			doc: "Applies a tag to every key of a map.", plan: (*planner).eachKey},
	}
}

func (p *planner) eachVal(s *site, inner codetags.Tag) (plan, error) {
	t := native(s.typ)
	var in *site
	switch t.Kind {
	case types.Slice, types.Array:
		in = s.inside(onItem, t.Elem, "[(vals)]")
	case types.Map:
		in = s.inside(onValue, t.Elem, "[(vals)]")
	default:
		return plan{}, fault{"it is for lists and maps, and this is " + aKind(s.typ), "remove the tag"}
	}
	made, err := p.planOf(in, inner)
	if err != nil {
		return plan{}, err
	}
	out := plan{vars: made.vars, helpers: made.helpers, notes: made.notes, opaqueVal: made.opaque, marked: made.marked}
	if len(made.calls) > 0 {
		// The keys of the list must be known first.
		out.add(thisLater(func() (plan, error) { return p.forEachVal(s.path, s.typ, of(made.calls...)), nil }))
	}
	out.add(p.eachLater(made.later, func(inner plan) plan { return p.forEachVal(s.path, s.typ, inner) }))
	return out, nil
}

// eachLater wraps what the inner tag postponed, all of it together.
func (p *planner) eachLater(waiting []later, wrap func(plan) plan) plan {
	if len(waiting) == 0 {
		return plan{}
	}
	return thisLater(func() (plan, error) {
		var made plan
		for _, l := range waiting {
			inner, err := l.make()
			if err != nil {
				return plan{}, err
			}
			made.add(inner)
		}
		return wrap(made), nil
	})
}

// forEachVal applies calls to every item or value of t, which is called path.
func (p *planner) forEachVal(path string, t *types.Type, inner plan) plan {
	n := native(t)
	out := inner.wrapped(func(c call, _ bool) call {
		w := wrapper{call: c, typ: n.Elem, fragment: "[*]"}
		notes := c.notes
		w.call.notes = nil
		outer := call{stop: c.stop, silent: c.silent, notes: notes}
		if n.Kind == types.Map {
			outer.fn, outer.args = ours("EachMapVal"), []any{equality(n.Elem), w}
			return outer
		}
		how, args := p.correlation(path, t)
		outer.fn, outer.args = ours("EachVal"+how), append(args, w)
		if n.Elem.Kind == types.Pointer {
			outer.fn = ours("EachPtr" + how)
		}
		return outer
	})
	return plan{calls: out.calls, later: out.later, opaqueVal: inner.opaque, helpers: inner.helpers, vars: inner.vars, marked: inner.marked}
}

// correlation says how an item of the new list finds itself in the old one, and how the two are then compared: not at
// all for an atomic list, by the value for a set, by the keys and then the value for a map.
func (p *planner) correlation(path string, t *types.Type) (how string, args []any) {
	lm := p.lists[path]
	if lm == nil {
		lm = p.lists[t.String()]
	}
	item := native(t).Elem
	switch {
	case lm == nil:
	case lm.semantic == "map" && len(lm.keys) > 0:
		return "ByKey", []any{lm.key(item), equality(item)}
	case lm.semantic == "set" && isKey(item):
		return "ByKey", []any{ours("Value"), raw("nil")}
	case lm.semantic == "set":
		return "ByMatch", []any{equality(item), raw("nil")}
	}
	return "", nil
}

func (p *planner) eachKey(s *site, t codetags.Tag) (plan, error) {
	n := native(s.typ)
	if n.Kind != types.Map {
		return plan{}, fault{"it is for maps, and this is " + aKind(s.typ), "remove the tag"}
	}
	made, err := p.planOf(s.inside(onKey, n.Key, "[(keys)]"), *t.ValueTag)
	if err != nil {
		return plan{}, err
	}
	out := plan{vars: made.vars, helpers: made.helpers, notes: made.notes, opaqueKey: made.opaque}
	if len(made.calls) > 0 {
		out.add(p.forEachKey(s.typ, of(made.calls...)))
	}
	out.add(p.eachLater(made.later, func(inner plan) plan { return p.forEachKey(s.typ, inner) }))
	return out, nil
}

// forEachKey applies calls to every key of the map t.
func (p *planner) forEachKey(t *types.Type, inner plan) plan {
	key := native(t).Key
	out := inner.wrapped(func(c call, _ bool) call {
		w := wrapper{call: c, typ: key}
		w.call.notes = nil
		return call{fn: ours("EachMapKey"), args: []any{w}, stop: c.stop, silent: c.silent, notes: c.notes}
	})
	return plan{calls: out.calls, later: out.later, opaqueKey: inner.opaque, helpers: inner.helpers, vars: inner.vars}
}
