package declarative

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func itemRules() []rule.Rule {
	return []rule.Rule{{
		Name: "k8s:item", Scopes: rule.OnLists, Value: rule.InnerTag, AnyArgs: true, Example: `+k8s:item(type: "Ready")=+k8s:immutable`,
		Doc: "Applies a tag to one item of a list of type map, the one with these keys.", Plan: item,
	}}
}

func item(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	n := shape.Bare(s.Type)
	if n.Kind != types.Slice || !shape.OfStructs(n) {
		return plan.Plan{}, plan.Fault{Message: "it is for lists of structs, and this is none", Cure: "remove the tag"}
	}
	keys, err := pairs(t.Args)
	if err != nil {
		return plan.Plan{}, err
	}
	item := shape.Bare(n.Elem)
	name := shownPairs(keys)
	in := s.Inside(rule.OnItem, item, "["+name+"]")
	in.Selector = keys
	made, err := p.PlanOf(in, *t.ValueTag)
	if err != nil {
		return plan.Plan{}, err
	}
	wrap := func(inner plan.Plan, around bool) (plan.Plan, error) {
		match, err := itemMatcher(p, s, item, keys)
		if err != nil {
			return plan.Plan{}, err
		}
		fn := plan.Lib("ValSliceItem")
		if n.Elem.Kind == types.Pointer {
			fn = plan.Lib("PtrSliceItem")
		}
		return inner.WrappedAt(around, func(c plan.Call, around bool) plan.Call {
			if around { // it is about the whole list, and takes it
				return c
			}
			return plan.Call{
				Func: fn, Args: []any{match, equality(item), plan.Wrapper{Call: c, Type: item}}, Stop: c.Stop, Silent: c.Silent, Cohort: name,
			}
		}), nil
	}
	out := made
	out.Calls, out.Later = nil, nil
	if len(made.Calls) > 0 {
		out.Add(plan.ThisLater(func() (plan.Plan, error) { return wrap(plan.Of(made.Calls...), false) }))
	}
	for _, l := range made.Later {
		// What is around an item is the list, which is what this site is about.
		out.Add(plan.ThisLater(func() (plan.Plan, error) {
			inner, err := l.Make()
			if err != nil {
				return plan.Plan{}, err
			}
			return wrap(inner, l.Around)
		}))
	}
	return out, nil
}

func pairs(args []codetags.Arg) ([]rule.Pair, error) {
	var out []rule.Pair
	for _, a := range args {
		if a.Name == "" {
			return nil, plan.Fault{Message: "the value " + a.String() + " belongs to no key", Cure: `name the key, as in +k8s:item(type: "Ready")=+k8s:immutable`}
		}
		if slices.ContainsFunc(out, func(o rule.Pair) bool { return o.Name == a.Name }) {
			return nil, plan.Fault{Message: "the key " + a.Name + " is there twice", Cure: "remove one of them"}
		}
		var value any = a.Value
		switch a.Type {
		case codetags.ArgTypeInt:
			n, err := strictInt(a.Value)
			if err != nil {
				return nil, err
			}
			value = int(n)
		case codetags.ArgTypeBool:
			value = a.Value == "true"
		}
		out = append(out, rule.Pair{Name: a.Name, Value: value})
	}
	if len(out) == 0 {
		return nil, plan.Fault{Message: "it does not say which item", Cure: `name the keys, as in +k8s:item(type: "Ready")=+k8s:immutable`}
	}
	return out, nil
}

// shownPairs is how an item is called in a path.
func shownPairs(keys []rule.Pair) string {
	var out []string
	for _, k := range keys {
		value := fmt.Sprint(k.Value)
		if text, ok := k.Value.(string); ok {
			value = strconv.Quote(text)
		}
		out = append(out, strconv.Quote(k.Name)+": "+value)
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// itemMatcher is a function that finds the item with these keys, which must be the keys of the
// list.
func itemMatcher(p *rule.Planner, s *rule.Site, item *types.Type, keys []rule.Pair) (plan.Lambda, error) {
	lm := knownList(p, s)
	if lm == nil || lm.semantic != "map" || len(lm.keys) == 0 {
		return plan.Lambda{}, plan.Fault{Message: "nothing says what tells the items of the list apart", Cure: "add +k8s:listType=map (or +k8s:unique=map) and +k8s:listMapKey"}
	}
	var sorted []rule.Pair
	for _, name := range lm.KeyNames {
		i := slices.IndexFunc(keys, func(k rule.Pair) bool { return k.Name == name })
		if i < 0 {
			return plan.Lambda{}, plan.Fault{Message: "the key " + name + " of the list is missing", Cure: "name all its keys: " + strings.Join(lm.KeyNames, ", ")}
		}
		sorted = append(sorted, keys[i])
	}
	if len(sorted) != len(keys) {
		return plan.Lambda{}, plan.Fault{Message: "there are more keys than those of the list", Cure: "name just " + strings.Join(lm.KeyNames, ", ")}
	}
	condition, err := hasKeys(item, sorted, "item")
	return plan.Lambda{
		Params: []plan.Param{{Name: "item", Type: types.PointerTo(item)}}, Result: types.Bool, Body: []any{"return ", condition},
	}, err
}

// hasKeys is a Go condition: the item, an expression, has these keys.
func hasKeys(t *types.Type, keys []rule.Pair, item string) (string, error) {
	var out []string
	for _, k := range keys {
		member := shape.MemberByJSON(t, k.Name)
		if member == nil {
			return "", plan.NoSuchField(t, k.Name)
		}
		value, err := keyValue(member, k)
		if err != nil {
			return "", err
		}
		expr := item + "." + member.Name
		if member.Type.Kind == types.Pointer {
			out = append(out, expr+" != nil && *"+expr+" == "+value)
			continue
		}
		out = append(out, expr+" == "+value)
	}
	return strings.Join(out, " && "), nil
}

func keyValue(member *types.Member, k rule.Pair) (string, error) {
	b := shape.Bare(member.Type)
	switch v := k.Value.(type) {
	case string:
		if shape.IsString(b) {
			return strconv.Quote(v), nil
		}
	case bool:
		if shape.IsBool(b) {
			return strconv.FormatBool(v), nil
		}
	case int:
		if shape.IsInt(b) {
			return strconv.Itoa(v), nil
		}
	}
	return "", plan.Fault{Message: fmt.Sprintf("the value %#v does not fit the key %s, %s", k.Value, k.Name, shape.AKind(member.Type)), Cure: "write it as a value of that type"}
}

// extractor is a function of an object that is false for an object that is nil.
func extractor(owner *types.Type, body ...any) plan.Lambda {
	return plan.Lambda{Params: []plan.Param{{Name: "obj", Type: types.PointerTo(owner)}}, Result: types.Bool, Body: append([]any{"if obj == nil { return false }\n"}, body...)}
}

// IsSet is a function that tells whether a field of a struct is set.
func IsSet(owner *types.Type, m *types.Member) plan.Lambda {
	switch shape.Native(m.Type).Kind {
	case types.Pointer, types.Interface:
		return extractor(owner, "return obj."+m.Name+" != nil")
	case types.Map, types.Slice:
		return extractor(owner, "return len(obj."+m.Name+") != 0")
	}
	return extractor(owner, "var z ", m.Type, "\nreturn obj."+m.Name+" != z")
}

// CanBeUnset says what is wrong with a field that is asked whether it is set, "" if nothing is.
func CanBeUnset(m *types.Member) string {
	switch shape.Native(m.Type).Kind {
	case types.Pointer, types.Map, types.Slice, types.Builtin, types.Interface:
		return ""
	}
	return fmt.Sprintf("%s is %s, which is always set", m.Name, shape.AKind(m.Type))
}
