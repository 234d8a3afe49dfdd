package declarative

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// changes are what an update can be kept from, in the order in which they are passed on.
var changes = []string{"NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem"}

func updateRules() []rule.Rule {
	return []rule.Rule{{
		Name: "k8s:update", Scopes: rule.OnField | rule.OnItem | rule.OnValue, Value: rule.Text, Example: "+k8s:update=NoModify",
		Doc: "What an update must not do: NoSet, NoUnset, NoModify, NoAddItem or NoRemoveItem. May be repeated. " +
			"For lists and maps, not set means empty; what tells the items of a list apart is said by +k8s:listType or +k8s:unique.",
		Plan: func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
			if !slices.Contains(changes, t.Value) {
				return plan.Plan{}, plan.Fault{Message: "there is no " + t.Value, Cure: "want " + strings.Join(changes, ", ")}
			}
			if s.Scope != rule.OnField {
				return updateOfPart(p, s, t.Value)
			}
			return updateOfField(p, s, t.Value)
		},
	}}
}

// updateOfPart is about each item of a list or value of a map.
func updateOfPart(p *rule.Planner, s *rule.Site, what string) (plan.Plan, error) {
	if what != "NoModify" {
		return plan.Plan{}, plan.Fault{Message: what + " can't stand on " + s.Scope.String(), Cure: "put it on the field"}
	}
	if k := shape.Bare(s.Type).Kind; k == types.Slice || k == types.Map {
		return plan.Plan{}, plan.Fault{Message: "items that are lists or maps can't be compared", Cure: "remove the tag"}
	}
	if lm := rule.Notes[*List](p)[s.ParentPath]; s.Scope == rule.OnItem && lm != nil && lm.semantic != "map" {
		return plan.Plan{}, plan.Fault{Message: "items that nothing but their value tells apart can't be modified, only added and removed",
			Cure: "use +k8s:listType=map with +k8s:listMapKey"}
	}
	return plan.Of(updateScalar(s, []string{what})), nil
}

// updateOfField collects what all tags of the field say into one call.
func updateOfField(p *rule.Planner, s *rule.Site, what string) (plan.Plan, error) {
	t := shape.Bare(s.Type)
	compound := t.Kind == types.Slice || t.Kind == types.Map
	switch {
	case (what == "NoAddItem" || what == "NoRemoveItem") && !compound:
		return plan.Plan{}, plan.Fault{Message: what + " is for lists and maps, and this is " + shape.AKind(s.Type), Cure: "want NoSet, NoUnset or NoModify"}
	case what == "NoModify" && compound:
		return plan.Plan{}, plan.Fault{Message: "NoModify is not for lists and maps", Cure: "use +k8s:eachVal=+k8s:update=NoModify"}
	case (what == "NoSet" || what == "NoUnset") && t.Kind == types.Struct && s.Type.Kind != types.Pointer:
		return plan.Plan{}, plan.Fault{Message: "a struct is always set, so " + what + " has no effect", Cure: "make the field a pointer, or remove the tag"}
	}
	u := rule.Notes[*update](p)[s.Path]
	if u == nil {
		u = &update{}
		rule.Notes[*update](p)[s.Path] = u
	}
	u.level = s.Level
	if !slices.Contains(u.changes, what) {
		u.changes = append(u.changes, what)
	}
	return plan.ThisLater(func() (plan.Plan, error) {
		u := rule.Notes[*update](p)[s.Path]
		if u == nil {
			return plan.Plan{}, nil // another tag of the field made the call
		}
		delete(rule.Notes[*update](p), s.Path)
		c, err := updateCall(p, s, u.changes)
		if c.Level = u.level; s.Level != "" {
			c.Level = s.Level
		}
		return plan.Of(c), err
	}), nil
}

// update is what the tags of one field forbid.
type update struct {
	changes []string
	level   string
}

func updateCall(p *rule.Planner, s *rule.Site, what []string) (plan.Call, error) {
	slices.SortFunc(what, func(a, b string) int { return slices.Index(changes, a) - slices.Index(changes, b) })
	switch t := shape.Bare(s.Type); t.Kind {
	case types.Slice:
		return updateList(p, s, t, what)
	case types.Map:
		return plan.Call{Func: plan.Runtime("UpdateMap"), Args: constraintArgs(nil, what), Stop: true, Emits: updateEmits(what, true)}, nil
	}
	return updateScalar(s, what), nil
}

func updateScalar(s *rule.Site, what []string) plan.Call {
	name := "UpdateValueByReflect"
	switch t := shape.Bare(s.Type); {
	case s.Type.Kind == types.Pointer:
		name = "UpdatePointer"
	case t.Kind == types.Struct:
		name = "UpdateStruct"
	case shape.ByValue(t):
		name = "UpdateValueByCompare"
	}
	return plan.Call{Func: plan.Lib(name), Args: constraintArgs(nil, what), Stop: true, Emits: []plan.Emission{{Type: "FieldValueInvalid", Origin: "update", Path: ""}}}
}

// updateList needs to know which items of the old and the new list are the same, unless it only
// matters whether there are any.
func updateList(p *rule.Planner, s *rule.Site, list *types.Type, what []string) (plan.Call, error) {
	made := plan.Call{Stop: true, Emits: updateEmits(what, false)}
	if !slices.Contains(what, "NoAddItem") && !slices.Contains(what, "NoRemoveItem") {
		made.Func, made.Args = plan.Lib("ValSliceUpdate"), constraintArgs([]any{plan.Raw("nil")}, what)
		if list.Elem.Kind == types.Pointer {
			made.Func = plan.Lib("PtrSliceUpdate")
		}
		return made, nil
	}
	name, lm := onPointers("Update", list), knownList(p, s)
	switch {
	case lm == nil || lm.semantic == "atomic":
		return plan.Call{}, plan.Fault{Message: fmt.Sprintf("nothing says what tells the items apart, which %s needs", what[len(what)-1]),
			Cure: "add +k8s:listType=map with +k8s:listMapKey, or +k8s:listType=set, or +k8s:unique"}
	case lm.semantic == "map" && len(lm.keys) == 0:
		return plan.Call{}, plan.Fault{Message: "the list has no keys", Cure: "add +k8s:listMapKey"}
	case lm.semantic == "map":
		made.Func, made.Args = plan.Runtime(name+"ByKey"), []any{lm.key(list.Elem)}
	case shape.IsKey(list.Elem):
		made.Func, made.Args = plan.Runtime(name+"ByKey"), []any{plan.Runtime("Value")}
	default:
		made.Func, made.Args = plan.Runtime(name+"ByMatch"), []any{equality(list.Elem)}
	}
	made.Args = constraintArgs(made.Args, what)
	return made, nil
}

func constraintArgs(args []any, what []string) []any {
	for _, w := range what {
		args = append(args, plan.Lib(w))
	}
	return args
}

// updateEmits are the errors of an update of a map, or of a list, each once.
func updateEmits(what []string, isMap bool) []plan.Emission {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(what, n) })
	}
	var out []plan.Emission
	if has("NoSet", "NoUnset") {
		out = append(out, plan.Emission{Type: "FieldValueInvalid", Origin: "update", Path: ""})
	}
	if has("NoAddItem") || isMap && has("NoRemoveItem") {
		out = append(out, plan.Emission{Type: "FieldValueForbidden", Origin: "update", Path: "[*]"})
	}
	if has("NoRemoveItem") && !isMap {
		out = append(out, plan.Emission{Type: "FieldValueForbidden", Origin: "update", Path: ""})
	}
	return out
}

// equality is the function of the library that compares two values of a type.
func equality(t *types.Type) any {
	switch {
	case shape.ByValue(model.Pointee(shape.Native(t))):
		return plan.Lib("DirectEqual")
	case shape.Hides(t):
		return plan.Runtime("Same")
	}
	return plan.Lib("SemanticDeepEqual")
}
