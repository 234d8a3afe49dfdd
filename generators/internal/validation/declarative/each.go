package declarative

import (
	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func eachRules() []rule.Rule {
	return []rule.Rule{
		{Name: "k8s:eachVal", Scopes: rule.OnLists, Value: rule.InnerTag, Example: "+k8s:eachVal=+k8s:minimum=1",
			Doc: "Applies a tag to every item of a list or every value of a map.",
			Plan: func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return EachVal(p, s, *t.ValueTag)
			}},
		{Name: "k8s:eachKey", Scopes: rule.OnLists, Value: rule.InnerTag, Example: "+k8s:eachKey=+k8s:format=k8s-label-key",
			Doc: "Applies a tag to every key of a map.", Plan: eachKey},
	}
}

func EachVal(p *rule.Planner, s *rule.Site, inner codetags.Tag) (plan.Plan, error) {
	t := shape.Native(s.Type)
	var in *rule.Site
	switch t.Kind {
	case types.Slice, types.Array:
		in = s.Inside(rule.OnItem, t.Elem, "[(vals)]")
	case types.Map:
		in = s.Inside(rule.OnValue, t.Elem, "[(vals)]")
	default:
		return plan.Plan{}, plan.Fault{Message: "it is for lists and maps, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
	}
	made, err := p.PlanOf(in, inner)
	if err != nil {
		return plan.Plan{}, err
	}
	out := plan.Plan{Vars: made.Vars, Helpers: made.Helpers, Notes: made.Notes, OpaqueVal: made.Opaque, Marked: made.Marked}
	if len(made.Calls) > 0 {
		// The keys of the list must be known first.
		out.Add(plan.ThisLater(func() (plan.Plan, error) { return ForEachVal(p, s.Path, s.Type, plan.Of(made.Calls...)), nil }))
	}
	out.Add(eachLater(p, made.Later, func(inner plan.Plan) plan.Plan { return ForEachVal(p, s.Path, s.Type, inner) }))
	return out, nil
}

// eachLater wraps what the inner tag postponed, all of it together.
func eachLater(p *rule.Planner, waiting []plan.Later, wrap func(plan.Plan) plan.Plan) plan.Plan {
	if len(waiting) == 0 {
		return plan.Plan{}
	}
	return plan.ThisLater(func() (plan.Plan, error) {
		var made plan.Plan
		for _, l := range waiting {
			inner, err := l.Make()
			if err != nil {
				return plan.Plan{}, err
			}
			made.Add(inner)
		}
		return wrap(made), nil
	})
}

// ForEachVal applies calls to every item or value of t, which is called path.
func ForEachVal(p *rule.Planner, path string, t *types.Type, inner plan.Plan) plan.Plan {
	n := model.Pointee(shape.Native(t))
	out := inner.Wrapped(func(c plan.Call, _ bool) plan.Call {
		w := plan.Wrapper{Call: c, Type: n.Elem, Fragment: "[*]"}
		notes := c.Notes
		w.Call.Notes = nil
		outer := plan.Call{Stop: c.Stop, Silent: c.Silent, Rule: c.Rule, Notes: notes}
		item := shape.Native(n.Elem)
		ofLists := item.Kind == types.Slice && !shape.IsBytes(item)
		if n.Kind == types.Map {
			outer.Func, outer.Args = plan.Runtime("EachMapVal"), []any{equality(n.Elem), w}
			if ofLists {
				outer.Func = plan.Runtime("EachMapList")
			}
			return outer
		}
		if ofLists {
			outer.Func, outer.Args = plan.Runtime("EachList"), []any{w}
			return outer
		}
		if shape.IsPointerToList(t) && n.Elem.Kind != types.Pointer {
			outer.Func, outer.Args = plan.Runtime("EachValBehind"), []any{w}
			return outer
		}
		how, args := correlation(p, path, t)
		outer.Func, outer.Args = plan.Runtime("EachVal"+how), append(args, w)
		if n.Elem.Kind == types.Pointer {
			outer.Func = plan.Runtime("EachPtr" + how)
		}
		return outer
	})
	return plan.Plan{Calls: out.Calls, Later: out.Later, OpaqueVal: inner.Opaque, Helpers: inner.Helpers, Vars: inner.Vars, Marked: inner.Marked}
}

// correlation says how an item of the new list finds itself in the old one, and how the two are
// then compared. The items of an atomic list are not compared. Those of a set are found by the
// value, those of a map by the keys and then compared by the value.
func correlation(p *rule.Planner, path string, t *types.Type) (how string, args []any) {
	lm := rule.Notes[*List](p)[path]
	if lm == nil {
		lm = rule.Notes[*List](p)[t.String()]
	}
	item := shape.Native(t).Elem
	switch {
	case lm == nil:
	case lm.semantic == "map" && len(lm.keys) > 0:
		return "ByKey", []any{lm.key(item), equality(item)}
	case lm.semantic == "set" && shape.IsKey(item):
		return "ByKey", []any{plan.Runtime("Value"), plan.Raw("nil")}
	case lm.semantic == "set":
		return "ByMatch", []any{equality(item), plan.Raw("nil")}
	}
	return "", nil
}

func eachKey(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	n := shape.Native(s.Type)
	if n.Kind != types.Map {
		return plan.Plan{}, plan.Fault{Message: "it is for maps, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
	}
	made, err := p.PlanOf(s.Inside(rule.OnKey, n.Key, "[(keys)]"), *t.ValueTag)
	if err != nil {
		return plan.Plan{}, err
	}
	out := plan.Plan{Vars: made.Vars, Helpers: made.Helpers, Notes: made.Notes, OpaqueKey: made.Opaque}
	if len(made.Calls) > 0 {
		out.Add(ForEachKey(p, s.Type, plan.Of(made.Calls...)))
	}
	out.Add(eachLater(p, made.Later, func(inner plan.Plan) plan.Plan { return ForEachKey(p, s.Type, inner) }))
	return out, nil
}

// ForEachKey applies calls to every key of the map t.
func ForEachKey(p *rule.Planner, t *types.Type, inner plan.Plan) plan.Plan {
	key := shape.Native(t).Key
	out := inner.Wrapped(func(c plan.Call, _ bool) plan.Call {
		w := plan.Wrapper{Call: c, Type: key}
		w.Call.Notes = nil
		return plan.Call{Func: plan.Runtime("EachMapKey"), Args: []any{w}, Stop: c.Stop, Silent: c.Silent, Notes: c.Notes}
	})
	return plan.Plan{Calls: out.Calls, Later: out.Later, OpaqueKey: inner.Opaque, Helpers: inner.Helpers, Vars: inner.Vars}
}
