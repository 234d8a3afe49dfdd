package validation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func itemRules() []rule {
	return []rule{{
		name: "k8s:item", scopes: onLists, value: innerTag, anyArgs: true, example: `+k8s:item(type: "Ready")=+k8s:immutable`,
		doc: "Applies a tag to one item of a list of type map, the one with these keys.", plan: (*planner).item,
	}}
}

// pair is a key of an item and its value: a string, an int or a bool.
type pair struct {
	name  string
	value any
}

func (p *planner) item(s *site, t codetags.Tag) (plan, error) {
	n := bare(s.typ)
	if n.Kind != types.Slice || !ofStructs(n) {
		return plan{}, fault{"it is for lists of structs, and this is none", "remove the tag"}
	}
	keys, err := pairs(t.Args)
	if err != nil {
		return plan{}, err
	}
	item := bare(n.Elem)
	name := shownPairs(keys)
	in := s.inside(onItem, item, "["+name+"]")
	in.selector = keys
	made, err := p.planOf(in, *t.ValueTag)
	if err != nil {
		return plan{}, err
	}
	wrap := func(inner plan, around bool) (plan, error) {
		match, err := p.itemMatcher(s, item, keys)
		if err != nil {
			return plan{}, err
		}
		fn := lib("ValSliceItem")
		if n.Elem.Kind == types.Pointer {
			fn = lib("PtrSliceItem")
		}
		return inner.wrappedAt(around, func(c call, around bool) call {
			if around { // it is about the whole list, and takes it
				return c
			}
			return call{
				fn: fn, args: []any{match, equality(item), wrapper{call: c, typ: item}}, stop: c.stop, silent: c.silent, cohort: name,
			}
		}), nil
	}
	out := made
	out.calls, out.later = nil, nil
	if len(made.calls) > 0 {
		out.add(thisLater(func() (plan, error) { return wrap(of(made.calls...), false) }))
	}
	for _, l := range made.later {
		// What is around an item is the list, which is what this site is about.
		out.add(thisLater(func() (plan, error) {
			inner, err := l.make()
			if err != nil {
				return plan{}, err
			}
			return wrap(inner, l.around)
		}))
	}
	return out, nil
}

func pairs(args []codetags.Arg) ([]pair, error) {
	var out []pair
	for _, a := range args {
		if a.Name == "" {
			return nil, fault{"the value " + a.String() + " belongs to no key", `name the key, as in +k8s:item(type: "Ready")=+k8s:immutable`}
		}
		if slices.ContainsFunc(out, func(o pair) bool { return o.name == a.Name }) {
			return nil, fault{"the key " + a.Name + " is there twice", "remove one of them"}
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
		out = append(out, pair{a.Name, value})
	}
	if len(out) == 0 {
		return nil, fault{"it does not say which item", `name the keys, as in +k8s:item(type: "Ready")=+k8s:immutable`}
	}
	return out, nil
}

// shownPairs is how an item is called in a path.
func shownPairs(keys []pair) string {
	var out []string
	for _, k := range keys {
		value := fmt.Sprint(k.value)
		if text, ok := k.value.(string); ok {
			value = strconv.Quote(text)
		}
		out = append(out, strconv.Quote(k.name)+": "+value)
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// itemMatcher is a function that finds the item with these keys, which must be the keys of the list.
func (p *planner) itemMatcher(s *site, item *types.Type, keys []pair) (lambda, error) {
	lm := p.listOf(s)
	if lm == nil || lm.semantic != "map" || len(lm.keys) == 0 {
		return lambda{}, fault{"nothing says what tells the items of the list apart", "add +k8s:listType=map (or +k8s:unique=map) and +k8s:listMapKey"}
	}
	var sorted []pair
	for _, name := range lm.keyNames {
		i := slices.IndexFunc(keys, func(k pair) bool { return k.name == name })
		if i < 0 {
			return lambda{}, fault{"the key " + name + " of the list is missing", "name all its keys: " + strings.Join(lm.keyNames, ", ")}
		}
		sorted = append(sorted, keys[i])
	}
	if len(sorted) != len(keys) {
		return lambda{}, fault{"there are more keys than those of the list", "name just " + strings.Join(lm.keyNames, ", ")}
	}
	condition, err := hasKeys(item, sorted, "item")
	return lambda{
		params: []param{{"item", types.PointerTo(item)}}, result: types.Bool, body: []any{"return ", condition},
	}, err
}

// hasKeys is a Go condition: the item, an expression, has these keys.
func hasKeys(t *types.Type, keys []pair, item string) (string, error) {
	var out []string
	for _, k := range keys {
		member := memberByJSON(t, k.name)
		if member == nil {
			return "", noSuchField(t, k.name)
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

func keyValue(member *types.Member, k pair) (string, error) {
	b := bare(member.Type)
	switch v := k.value.(type) {
	case string:
		if isString(b) {
			return strconv.Quote(v), nil
		}
	case bool:
		if isBool(b) {
			return strconv.FormatBool(v), nil
		}
	case int:
		if isInt(b) {
			return strconv.Itoa(v), nil
		}
	}
	return "", fault{fmt.Sprintf("the value %#v does not fit the key %s, %s", k.value, k.name, aKind(member.Type)), "write it as a value of that type"}
}

// extractor is a function of an object that is false for an object that is nil.
func extractor(owner *types.Type, body ...any) lambda {
	return lambda{params: []param{{"obj", types.PointerTo(owner)}}, result: types.Bool, body: append([]any{"if obj == nil { return false }\n"}, body...)}
}

// isSet is a function that tells whether a field of a struct is set.
func isSet(owner *types.Type, m *types.Member) lambda {
	switch native(m.Type).Kind {
	case types.Pointer, types.Interface:
		return extractor(owner, "return obj."+m.Name+" != nil")
	case types.Map, types.Slice:
		return extractor(owner, "return len(obj."+m.Name+") != 0")
	}
	return extractor(owner, "var z ", m.Type, "\nreturn obj."+m.Name+" != z")
}

// canBeUnset says what is wrong with a field that is asked whether it is set, "" if nothing is.
func canBeUnset(m *types.Member) string {
	switch native(m.Type).Kind {
	case types.Pointer, types.Map, types.Slice, types.Builtin, types.Interface:
		return ""
	}
	return fmt.Sprintf("%s is %s, which is always set", m.Name, aKind(m.Type))
}
