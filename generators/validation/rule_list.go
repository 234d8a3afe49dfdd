package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/model"
	"github.com/typeplane/typeplane/generators/tag"
)

// list is what the tags of one list say about its items.
type list struct {
	// shared says that listType gives items to several owners ("set" or "map"); typed that there is a listType.
	typed, shared bool
	// semantic says what tells items apart: "" (nothing said), "atomic", "set" (the value) or "map" (keys).
	semantic string
	keys     []*types.Member
	keyNames []string
	// custom says that hand-written code looks for items that are there twice.
	custom bool
	level  string
	done   bool
}

func listRules() []rule {
	return []rule{
		{name: "k8s:listType", scopes: onLists, value: text, example: "+k8s:listType=map",
			doc: "What a list is: atomic (one value), set (of different items) or map (items with different keys).", plan: (*planner).listType},
		{name: "k8s:listMapKey", scopes: onLists, value: text, example: "+k8s:listMapKey=name",
			doc: "JSON name of a field that is a key of the items of a list of type map. May be repeated.", plan: (*planner).listMapKey},
		{name: "k8s:unique", scopes: onLists, value: text, example: "+k8s:unique=set",
			doc: "Items differ, by value (set) or by key (map), although the list has one owner.", plan: (*planner).unique},
		{name: "k8s:customUnique", scopes: onLists, example: "+k8s:customUnique",
			doc: "Hand-written code looks for items that are there twice; nothing is generated for it.",
			plan: func(p *planner, s *site, _ codetags.Tag) (plan, error) {
				lm, err := p.listAt(s)
				if err == nil {
					lm.custom = true
				}
				return plan{}, err
			}},
	}
}

// listAt returns what is known about the list at a site, for more to be added.
func (p *planner) listAt(s *site) (*list, error) {
	if message := wantList(s.typ); message != "" {
		return nil, fault{message, "remove the tag"}
	}
	if p.lists[s.path] == nil {
		p.lists[s.path] = &list{}
	}
	return p.lists[s.path], nil
}

// listOf returns what is known about the list at a site, or about its type; nil if nothing is.
func (p *planner) listOf(s *site) *list {
	if lm := p.lists[s.path]; lm != nil {
		return lm
	}
	return p.lists[s.typ.String()]
}

func (p *planner) listType(s *site, t codetags.Tag) (plan, error) {
	lm, err := p.listAt(s)
	switch {
	case err != nil:
		return plan{}, err
	case lm.typed:
		return plan{}, fault{"the list has two types", "keep one +k8s:listType"}
	case !slices.Contains([]string{"atomic", "set", "map"}, t.Value):
		return plan{}, fault{"there is no type " + t.Value + " of lists", "want atomic, set or map"}
	case t.Value == "map" && !ofStructs(s.typ):
		return plan{}, fault{"only structs have keys, and the items of this list are none", "want +k8s:listType=set or atomic"}
	}
	lm.typed, lm.shared, lm.level = true, t.Value != "atomic", s.level
	switch {
	case t.Value == "atomic" && lm.semantic == "":
		lm.semantic = "atomic"
	case lm.shared && lm.semantic != "" && lm.semantic != "atomic":
		return plan{}, fault{"+k8s:unique says again what +k8s:listType=" + t.Value + " says", "remove +k8s:unique"}
	case lm.shared:
		lm.semantic = t.Value
	}
	return p.uniqueness(s), nil
}

func (p *planner) listMapKey(s *site, t codetags.Tag) (plan, error) {
	lm, err := p.listAt(s)
	if err != nil {
		return plan{}, err
	}
	if !ofStructs(s.typ) {
		return plan{}, fault{"only structs have keys, and the items of this list are none", "remove the tag"}
	}
	item := bare(native(s.typ).Elem)
	member := memberByJSON(item, t.Value)
	if member == nil {
		return plan{}, noSuchField(item, t.Value)
	}
	if k := bare(member.Type); k.Kind != types.Builtin {
		return plan{}, fault{fmt.Sprintf("the field %s is %s, and keys are strings, numbers or bools", t.Value, aKind(member.Type)), "choose another key"}
	}
	lm.keys, lm.keyNames = append(lm.keys, member), append(lm.keyNames, t.Value)
	return thisLater(func() (plan, error) {
		if lm.semantic != "map" {
			return plan{}, fault{"a key is for lists of type map, and this is none", "add +k8s:listType=map or +k8s:unique=map"}
		}
		return plan{}, nil
	}), nil
}

func (p *planner) unique(s *site, t codetags.Tag) (plan, error) {
	lm, err := p.listAt(s)
	switch {
	case err != nil:
		return plan{}, err
	case lm.shared:
		return plan{}, fault{"+k8s:listType=" + lm.semantic + " says already that items differ", "remove +k8s:unique"}
	case lm.semantic != "" && lm.semantic != "atomic":
		return plan{}, fault{"it is said twice what tells items apart", "keep one +k8s:unique"}
	case t.Value != "set" && t.Value != "map":
		return plan{}, fault{"items are not unique by " + t.Value, "want set or map"}
	case t.Value == "map" && !ofStructs(s.typ):
		return plan{}, fault{"only structs have keys, and the items of this list are none", "want +k8s:unique=set"}
	}
	lm.semantic, lm.level = t.Value, s.level
	return p.uniqueness(s), nil
}

// uniqueness is the call that looks for items that are there twice. It is made when all tags of the list are known.
func (p *planner) uniqueness(s *site) plan {
	return thisLater(func() (plan, error) {
		lm := p.lists[s.path]
		if ofType := p.lists[s.typ.String()]; s.scope == onField && ofType != nil && ofType != lm {
			return plan{}, fault{"the type of the field says what list it is, and so does the field", "keep the tags of one of them"}
		}
		if lm.done {
			return plan{}, nil
		}
		lm.done = true
		return lm.plan(native(s.typ))
	})
}

func (lm *list) plan(t *types.Type) (plan, error) {
	switch {
	case lm.semantic == "map" && len(lm.keys) == 0:
		return plan{}, fault{"a list of type map needs keys", "add +k8s:listMapKey= with the JSON name of a field"}
	case !lm.typed:
		return plan{}, fault{"the list has no type", "add +k8s:listType=atomic"}
	case lm.custom:
		return plan{notes: []string{"Uniqueness validation is implemented via custom, handwritten validation"}}, nil
	}
	c := call{level: lm.level, emits: []emission{{"FieldValueDuplicate", "", "[*]"}}}
	switch lm.semantic {
	case "set":
		c.notes = []string{"lists with set semantics require unique values"}
		c.fn, c.args = different(t)
	case "map":
		c.notes = []string{"lists with map semantics require unique keys"}
		c.fn, c.args = ours(onPointers("Unique", t)), []any{lm.key(t.Elem)}
	default:
		return plan{}, nil
	}
	return of(c), nil
}

// different is the function that wants different items in a list, and how it tells them apart.
func different(list *types.Type) (fn emit.Ident, args []any) {
	name := onPointers("Unique", list)
	if isKey(list.Elem) {
		return ours(name), []any{ours("Value")}
	}
	return ours(name + "ByMatch"), []any{equality(list.Elem)}
}

// onPointers is the name of a function for lists, or of the one for lists of pointers.
func onPointers(name string, list *types.Type) string {
	if list.Elem.Kind == types.Pointer {
		return name + "Ptr"
	}
	return name
}

// isKey says whether values of a type are their own keys.
func isKey(t *types.Type) bool { return byValue(model.Pointee(native(t))) }

// key is a function that makes the key of an item.
func (lm *list) key(item *types.Type) lambda {
	result, parts := types.Any, []any{}
	for i, key := range lm.keys {
		if i > 0 {
			parts = append(parts, ", ")
		}
		if key.Type.Kind == types.Pointer {
			parts = append(parts, ours("Pointee"), "(a."+key.Name+")")
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
	return lambda{params: []param{{"a", types.PointerTo(model.Pointee(item))}}, result: result, body: body}
}

func ofStructs(list *types.Type) bool { return bare(native(list).Elem).Kind == types.Struct }

// noSuchField says that a struct lacks a field of a name in JSON.
func noSuchField(t *types.Type, name string) error {
	known := jsonNames(t)
	cure := "it has " + strings.Join(known, ", ")
	if near := tag.Nearest(name, known); near != "" {
		cure = "did you mean " + near + "?"
	}
	return fault{fmt.Sprintf("%s has no field called %s in JSON", t.Name.Name, name), cure}
}
