package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/model"
)

// changes are what an update can be kept from, in the order in which they are passed on.
var changes = []string{"NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem"}

func updateRules() []rule {
	return []rule{{
		name: "k8s:update", scopes: onField | onItem | onValue, value: text, example: "+k8s:update=NoModify",
		doc: "What an update must not do: NoSet, NoUnset, NoModify, NoAddItem or NoRemoveItem. May be repeated. " +
			"For lists and maps, not set means empty; what tells the items of a list apart is said by +k8s:listType or +k8s:unique.",
		plan: func(p *planner, s *site, t codetags.Tag) (plan, error) {
			if !slices.Contains(changes, t.Value) {
				return plan{}, fault{"there is no " + t.Value, "want " + strings.Join(changes, ", ")}
			}
			if s.scope != onField {
				return p.updateOfPart(s, t.Value)
			}
			return p.updateOfField(s, t.Value)
		},
	}}
}

// updateOfPart is about each item of a list or value of a map.
func (p *planner) updateOfPart(s *site, what string) (plan, error) {
	if what != "NoModify" {
		return plan{}, fault{what + " can't stand on " + s.scope.String(), "put it on the field"}
	}
	if k := bare(s.typ).Kind; k == types.Slice || k == types.Map {
		return plan{}, fault{"items that are lists or maps can't be compared", "remove the tag"}
	}
	if lm := p.lists[s.parentPath]; s.scope == onItem && lm != nil && lm.semantic != "map" {
		return plan{}, fault{"items that nothing but their value tells apart can't be modified, only added and removed",
			"use +k8s:listType=map with +k8s:listMapKey"}
	}
	return of(updateScalar(s, []string{what})), nil
}

// updateOfField collects what all tags of the field say into one call.
func (p *planner) updateOfField(s *site, what string) (plan, error) {
	t := bare(s.typ)
	compound := t.Kind == types.Slice || t.Kind == types.Map
	switch {
	case (what == "NoAddItem" || what == "NoRemoveItem") && !compound:
		return plan{}, fault{what + " is for lists and maps, and this is " + aKind(s.typ), "want NoSet, NoUnset or NoModify"}
	case what == "NoModify" && compound:
		return plan{}, fault{"NoModify is not for lists and maps", "use +k8s:eachVal=+k8s:update=NoModify"}
	case (what == "NoSet" || what == "NoUnset") && t.Kind == types.Struct && s.typ.Kind != types.Pointer:
		return plan{}, fault{"a struct is always set, so " + what + " has no effect", "make the field a pointer, or remove the tag"}
	}
	u := p.updates[s.path]
	if u == nil {
		u = &update{}
		p.updates[s.path] = u
	}
	u.level = s.level
	if !slices.Contains(u.changes, what) {
		u.changes = append(u.changes, what)
	}
	return thisLater(func() (plan, error) {
		u := p.updates[s.path]
		if u == nil {
			return plan{}, nil // another tag of the field made the call
		}
		delete(p.updates, s.path)
		c, err := p.updateCall(s, u.changes)
		if c.level = u.level; s.level != "" {
			c.level = s.level
		}
		return of(c), err
	}), nil
}

// update is what the tags of one field forbid.
type update struct {
	changes []string
	level   string
}

func (p *planner) updateCall(s *site, what []string) (call, error) {
	slices.SortFunc(what, func(a, b string) int { return slices.Index(changes, a) - slices.Index(changes, b) })
	switch t := bare(s.typ); t.Kind {
	case types.Slice:
		return p.updateList(s, t, what)
	case types.Map:
		return call{fn: ours("UpdateMap"), args: constraintArgs(nil, what), stop: true, emits: updateEmits(what, true)}, nil
	}
	return updateScalar(s, what), nil
}

func updateScalar(s *site, what []string) call {
	name := "UpdateValueByReflect"
	switch t := bare(s.typ); {
	case s.typ.Kind == types.Pointer:
		name = "UpdatePointer"
	case t.Kind == types.Struct:
		name = "UpdateStruct"
	case byValue(t):
		name = "UpdateValueByCompare"
	}
	return call{fn: lib(name), args: constraintArgs(nil, what), stop: true, emits: []emission{{"FieldValueInvalid", "update", ""}}}
}

// updateList needs to know which items of the old and the new list are the same, unless it only matters whether there are any.
func (p *planner) updateList(s *site, list *types.Type, what []string) (call, error) {
	made := call{stop: true, emits: updateEmits(what, false)}
	if !slices.Contains(what, "NoAddItem") && !slices.Contains(what, "NoRemoveItem") {
		made.fn, made.args = lib("ValSliceUpdate"), constraintArgs([]any{raw("nil")}, what)
		if list.Elem.Kind == types.Pointer {
			made.fn = lib("PtrSliceUpdate")
		}
		return made, nil
	}
	name, lm := onPointers("Update", list), p.listOf(s)
	switch {
	case lm == nil || lm.semantic == "atomic":
		return call{}, fault{fmt.Sprintf("nothing says what tells the items apart, which %s needs", what[len(what)-1]),
			"add +k8s:listType=map with +k8s:listMapKey, or +k8s:listType=set, or +k8s:unique"}
	case lm.semantic == "map" && len(lm.keys) == 0:
		return call{}, fault{"the list has no keys", "add +k8s:listMapKey"}
	case lm.semantic == "map":
		made.fn, made.args = ours(name+"ByKey"), []any{lm.key(list.Elem)}
	case isKey(list.Elem):
		made.fn, made.args = ours(name+"ByKey"), []any{ours("Value")}
	default:
		made.fn, made.args = ours(name+"ByMatch"), []any{equality(list.Elem)}
	}
	made.args = constraintArgs(made.args, what)
	return made, nil
}

func constraintArgs(args []any, what []string) []any {
	for _, w := range what {
		args = append(args, lib(w))
	}
	return args
}

// updateEmits are the errors of an update of a map, or of a list, each once.
func updateEmits(what []string, isMap bool) []emission {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(what, n) })
	}
	var out []emission
	if has("NoSet", "NoUnset") {
		out = append(out, emission{"FieldValueInvalid", "update", ""})
	}
	if has("NoAddItem") || isMap && has("NoRemoveItem") {
		out = append(out, emission{"FieldValueForbidden", "update", "[*]"})
	}
	if has("NoRemoveItem") && !isMap {
		out = append(out, emission{"FieldValueForbidden", "update", ""})
	}
	return out
}

// equality is the function of the library that compares two values of a type.
func equality(t *types.Type) any {
	if byValue(model.Pointee(native(t))) {
		return lib("DirectEqual")
	}
	return lib("SemanticDeepEqual")
}
