package fieldset

import (
	"fmt"
	gotypes "go/types"
	"strconv"
	"strings"
)

// key is the function that names an item of a list.
func (p *printer) key(n *node) string {
	text, in, t := "nil", item(n, "in"), n.itemType()
	for _, k := range n.keys {
		value := p.ref(t, in, k.Field)
		t := gotypes.Unalias(k.Var().Type())
		there := "true"
		if list := conditions(k.Field, value, ""); len(list) > 0 {
			there = strings.Join(list, " && ")
		}
		if pointer, ok := t.(*gotypes.Pointer); ok {
			text = p.call("AddKeyPointer", text, strconv.Quote(k.Name), value, fmt.Sprintf("func(in %s) any { return %s }", p.typ(pointer.Elem()), p.inJSON(pointer.Elem(), "in")), k.typed())
			continue
		}
		text = p.call("AddKey", text, strconv.Quote(k.Name), there, p.inJSON(t, value), k.typed())
	}
	return fmt.Sprintf("func(in *%s) %s.Key { return %s }", p.typ(n.elem.typ), p.runtime, text)
}

// itemType is the struct that an item of a list is, or points to.
func (n *node) itemType() gotypes.Type {
	if pointer, ok := n.elem.typ.(*gotypes.Pointer); ok {
		return pointer.Elem()
	}
	return n.elem.typ
}

// item is what a variable that points to an item of a list points to.
func item(n *node, variable string) string {
	if _, pointer := n.elem.typ.(*gotypes.Pointer); pointer {
		return "(*" + variable + ")"
	}
	return variable
}

// sameKey is the function that says whether two items have the same key, "nil" if that takes more
// than Go's ==.
func (p *printer) sameKey(n *node) string {
	var same []string
	for _, k := range n.keys {
		a, b := p.ref(n.itemType(), item(n, "a"), k.Field), p.ref(n.itemType(), item(n, "b"), k.Field)
		_, pointer := gotypes.Unalias(k.Var().Type()).(*gotypes.Pointer)
		switch {
		case pointer && k.otherwise == "nil":
			same = append(same, p.call("SamePointers", a, b))
		case pointer:
			return "nil"
		case k.OmitEmpty && k.otherwise != "nil" && k.otherwise != `""`:
			or := p.Ident("cmp", "Or")
			same = append(same, fmt.Sprintf("%s(%s, %s) == %s(%s, %s)", or, a, k.otherwise, or, b, k.otherwise))
		default:
			same = append(same, a+" == "+b)
		}
	}
	return fmt.Sprintf("func(a, b *%s) bool { return %s }", p.typ(n.elem.typ), strings.Join(same, " && "))
}
