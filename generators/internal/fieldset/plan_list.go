package fieldset

import (
	gotypes "go/types"
	"slices"
	"strconv"
	"strings"

	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/typeplane/typeplane/generators/internal/json"
)

// key is one of the fields that name an item of a list.
type key struct {
	json.Field
	// otherwise is what stands for a value that JSON does not show, as a Go literal; "nil" for
	// none.
	otherwise string
}

// typed is otherwise in the type that JSON gives it.
func (k key) typed() string {
	switch c := k.otherwise[0]; {
	case c != '-' && (c < '0' || c > '9'):
		return k.otherwise
	case strings.ContainsAny(k.otherwise, ".e"):
		return "float64(" + k.otherwise + ")"
	}
	return "int64(" + k.otherwise + ")"
}

// list plans how the items of a granular list are told apart.
func (pl *planner) list(n *node, elem gotypes.Type, list *smd.List, at string) {
	elem = gotypes.Unalias(elem)
	item := pl.node(elem, list.ElementType, at)
	if len(list.Keys) == 0 {
		if item.how != asLeaf || !gotypes.Comparable(elem) {
			pl.problem(at, "make it a list of strings, numbers or bools, or say +listType=atomic", "%s can't be the values of a set", elem)
			return
		}
		n.how, n.elem = byValues, item
		return
	}
	target := elem
	if p, ok := elem.(*gotypes.Pointer); ok {
		target = p.Elem()
	}
	if _, ok := target.Underlying().(*gotypes.Struct); !ok || writesItself(target) {
		pl.problem(at, "make it a list of structs, or say +listType=atomic", "%s has no fields to tell the items of a map apart", elem)
		return
	}
	keys := pl.keys(target, list, at)
	if keys == nil {
		return
	}
	n.how, n.elem, n.keys = byItems, item, keys
}

// keys are the fields that name an item, in the order in which structured-merge-diff writes them:
// by name.
func (pl *planner) keys(item gotypes.Type, list *smd.List, at string) (out []key) {
	fields := json.Fields(item)
	for _, name := range slices.Sorted(slices.Values(list.Keys)) {
		i := slices.IndexFunc(fields, func(f json.Field) bool { return f.Name == name })
		if i < 0 {
			pl.problem(at, "name a field as JSON has it", "its items have no field %s", name)
			return nil
		}
		f := fields[i]
		t := gotypes.Unalias(f.Var().Type())
		if p, ok := t.(*gotypes.Pointer); ok {
			t = p.Elem()
		}
		if !comparable(t) || embeddedPointer(f) != nil {
			pl.problem(at, "take a string, a number or a bool", "%s, a %s, can't name an item", name, t)
			return nil
		}
		out = append(out, key{f, pl.defaultOf(list, name)})
	}
	return out
}

// defaultOf is what the schema says of a field that is left out.
func (pl *planner) defaultOf(list *smd.List, name string) string {
	atom := pl.schemas.atom(list.ElementType)
	if atom.Map == nil {
		return "nil"
	}
	f, _ := atom.Map.FindField(name)
	switch v := f.Default.(type) {
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return "nil"
}
