package declarative

import (
	"fmt"
	"slices"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// List is what the tags of one list say about its items.
type List struct {
	// shared says that listType gives items to several owners ("set" or "map"); typed that there is
	// a listType.
	typed, shared bool
	// owner is what has the listType, keyOwner what has the keys: the list, or one that it is named
	// after.
	owner, keyOwner *types.Type
	// semantic says what tells items apart: "" (nothing said), "atomic", "set" (the value) or "map"
	// (keys).
	semantic string
	keys     []*types.Member
	KeyNames []string
	// custom says that hand-written code looks for items that are there twice.
	custom bool
	level  string
	done   bool
}

func listRules() []rule.Rule {
	return []rule.Rule{
		{Name: "k8s:listType", Scopes: rule.OnLists, Value: rule.Text, Example: "+k8s:listType=map",
			Doc: "What a list is: atomic (one value), set (of different items) or map (items with different keys).", Plan: ListType},
		{Name: "k8s:listMapKey", Scopes: rule.OnLists, Value: rule.Text, Example: "+k8s:listMapKey=name",
			Doc: "JSON name of a field that is a key of the items of a list of type map. May be repeated.", Plan: ListMapKey},
		{Name: "k8s:unique", Scopes: rule.OnLists, Value: rule.Text, Example: "+k8s:unique=set",
			Doc: "Items differ, by value (set) or by key (map), although the list has one owner.", Plan: unique},
		{Name: "k8s:customUnique", Scopes: rule.OnLists, Example: "+k8s:customUnique",
			Doc: "Hand-written code looks for items that are there twice; nothing is generated for it.",
			Plan: func(p *rule.Planner, s *rule.Site, _ codetags.Tag) (plan.Plan, error) {
				lm, err := listAt(p, s)
				if err == nil {
					lm.custom = true
				}
				return plan.Plan{}, err
			}},
	}
}

// listAt returns what is known about the list at a site, for more to be added.
func listAt(p *rule.Planner, s *rule.Site) (*List, error) {
	if message := shape.WantList(s.Type); message != "" {
		return nil, plan.Fault{Message: message, Cure: "remove the tag"}
	}
	if rule.Notes[*List](p)[s.Path] == nil {
		rule.Notes[*List](p)[s.Path] = &List{}
	}
	return rule.Notes[*List](p)[s.Path], nil
}

// knownList returns what is known about the list at a site, or about its type; nil if nothing is.
func knownList(p *rule.Planner, s *rule.Site) *List {
	if lm := rule.Notes[*List](p)[s.Path]; lm != nil {
		return lm
	}
	return rule.Notes[*List](p)[s.Type.String()]
}

func ListType(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	lm, err := listAt(p, s)
	switch {
	case err != nil:
		return plan.Plan{}, err
	case lm.typed && lm.owner != s.Origin.Owner:
		return plan.Plan{}, nil // a nearer name has its own
	case lm.typed:
		return plan.Plan{}, plan.Fault{Message: "the list has two types", Cure: "keep one +k8s:listType"}
	case !slices.Contains([]string{"atomic", "set", "map"}, t.Value):
		return plan.Plan{}, plan.Fault{Message: "there is no type " + t.Value + " of lists", Cure: "want atomic, set or map"}
	case t.Value == "map" && !shape.OfStructs(s.Type):
		return plan.Plan{}, plan.Fault{Message: "only structs have keys, and the items of this list are none", Cure: "want +k8s:listType=set or atomic"}
	}
	lm.typed, lm.owner, lm.shared, lm.level = true, s.Origin.Owner, t.Value != "atomic", s.Level
	switch {
	case t.Value == "atomic" && lm.semantic == "":
		lm.semantic = "atomic"
	case lm.shared && lm.semantic != "" && lm.semantic != "atomic":
		return plan.Plan{}, plan.Fault{Message: "+k8s:unique says again what +k8s:listType=" + t.Value + " says", Cure: "remove +k8s:unique"}
	case lm.shared:
		lm.semantic = t.Value
	}
	return uniqueness(p, s), nil
}

func ListMapKey(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	lm, err := listAt(p, s)
	if err != nil {
		return plan.Plan{}, err
	}
	if !shape.OfStructs(s.Type) {
		return plan.Plan{}, plan.Fault{Message: "only structs have keys, and the items of this list are none", Cure: "remove the tag"}
	}
	item := shape.Bare(shape.Native(s.Type).Elem)
	member := shape.MemberByJSON(item, t.Value)
	if member == nil {
		return plan.Plan{}, plan.NoSuchField(item, t.Value)
	}
	if k := shape.Bare(member.Type); k.Kind != types.Builtin {
		return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("the field %s is %s, and keys are strings, numbers or bools", t.Value, shape.AKind(member.Type)), Cure: "choose another key"}
	}
	if lm.keyOwner != nil && lm.keyOwner != s.Origin.Owner { // a nearer name has its own
		return plan.Plan{}, nil
	}
	lm.keyOwner = s.Origin.Owner
	lm.keys, lm.KeyNames = append(lm.keys, member), append(lm.KeyNames, t.Value)
	return plan.ThisLater(func() (plan.Plan, error) {
		if lm.semantic != "map" {
			return plan.Plan{}, plan.Fault{Message: "a key is for lists of type map, and this is none", Cure: "add +k8s:listType=map or +k8s:unique=map"}
		}
		return plan.Plan{}, nil
	}), nil
}

func unique(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	lm, err := listAt(p, s)
	switch {
	case err != nil:
		return plan.Plan{}, err
	case lm.shared:
		return plan.Plan{}, plan.Fault{Message: "+k8s:listType=" + lm.semantic + " says already that items differ", Cure: "remove +k8s:unique"}
	case lm.semantic != "" && lm.semantic != "atomic":
		return plan.Plan{}, plan.Fault{Message: "it is said twice what tells items apart", Cure: "keep one +k8s:unique"}
	case t.Value != "set" && t.Value != "map":
		return plan.Plan{}, plan.Fault{Message: "items are not unique by " + t.Value, Cure: "want set or map"}
	case t.Value == "map" && !shape.OfStructs(s.Type):
		return plan.Plan{}, plan.Fault{Message: "only structs have keys, and the items of this list are none", Cure: "want +k8s:unique=set"}
	}
	lm.semantic, lm.level = t.Value, s.Level
	return uniqueness(p, s), nil
}

// uniqueness is the call that looks for items that are there twice. It is made when all tags of the
// list are known.
func uniqueness(p *rule.Planner, s *rule.Site) plan.Plan {
	return plan.ThisLater(func() (plan.Plan, error) {
		lm := rule.Notes[*List](p)[s.Path]
		if ofType := rule.Notes[*List](p)[s.Type.String()]; s.Scope == rule.OnField && ofType != nil && ofType != lm {
			return plan.Plan{}, plan.Fault{Message: "the type of the field says what list it is, and so does the field", Cure: "keep the tags of one of them"}
		}
		if lm.done {
			return plan.Plan{}, nil
		}
		lm.done = true
		return lm.plan(shape.Native(s.Type))
	})
}

func (lm *List) plan(t *types.Type) (plan.Plan, error) {
	switch {
	case lm.semantic == "map" && len(lm.keys) == 0:
		return plan.Plan{}, plan.Fault{Message: "a list of type map needs keys", Cure: "add +k8s:listMapKey= with the JSON name of a field"}
	case !lm.typed:
		return plan.Plan{}, plan.Fault{Message: "the list has no type", Cure: "add +k8s:listType=atomic"}
	case lm.custom:
		return plan.Plan{Notes: []string{"Uniqueness validation is implemented via custom, handwritten validation"}}, nil
	}
	c := plan.Call{Level: lm.level, Emits: []plan.Emission{{Type: "FieldValueDuplicate", Origin: "", Path: "[*]"}}}
	switch lm.semantic {
	case "set":
		c.Notes = []string{"lists with set semantics require unique values"}
		c.Func, c.Args = Different(t)
	case "map":
		c.Notes = []string{"lists with map semantics require unique keys"}
		c.Func, c.Args = plan.Runtime(onPointers("Unique", t)), []any{lm.key(t.Elem)}
	default:
		return plan.Plan{}, nil
	}
	return plan.Of(c), nil
}

// Different is the function that wants different items in a list, and how it tells them apart.
func Different(list *types.Type) (fn emit.Ident, args []any) {
	name := onPointers("Unique", list)
	if shape.IsKey(list.Elem) {
		return plan.Runtime(name), []any{plan.Runtime("Value")}
	}
	return plan.Runtime(name + "ByMatch"), []any{equality(list.Elem)}
}

// onPointers is the name of a function for lists, or of the one for lists of pointers.
func onPointers(name string, list *types.Type) string {
	if list.Elem.Kind == types.Pointer {
		return name + "Ptr"
	}
	return name
}

// key is a function that makes the key of an item.
func (lm *List) key(item *types.Type) plan.Lambda {
	result, parts := types.Any, []any{}
	for i, key := range lm.keys {
		if i > 0 {
			parts = append(parts, ", ")
		}
		if key.Type.Kind == types.Pointer {
			parts = append(parts, plan.Runtime("Pointee"), "(a."+key.Name+")")
		} else {
			parts = append(parts, "a."+key.Name)
		}
	}
	body := append([]any{"return "}, parts...)
	switch one := lm.keys[0]; {
	case len(lm.keys) > 1:
		body = append(append([]any{fmt.Sprintf("return [%d]any{", len(lm.keys))}, parts...), "}")
	case one.Type.Kind != types.Pointer:
		result = one.Type
	}
	return plan.Lambda{Params: []plan.Param{{Name: "a", Type: types.PointerTo(model.Pointee(item))}}, Result: result, Body: body}
}
