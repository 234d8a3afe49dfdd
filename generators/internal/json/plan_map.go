package json

import (
	gotypes "go/types"
	"strings"
)

// mapShape decides how keys and values of a map are written and read.
func (pl *planner) mapShape(n *node, u *gotypes.Map, at place) {
	n.elem, n.keyText = pl.node(u.Elem(), at), reflectText(u.Key())
	if wantsAddress(u.Elem()) {
		elem := *n.elem
		elem.write = asDynamic
		n.elem = &elem
	}
	text := addressed(u.Key(), "UnmarshalText") && !gotypes.IsInterface(u.Key())
	b, basic := u.Key().Underlying().(*gotypes.Basic)
	switch {
	case basic && b.Info()&gotypes.IsString != 0:
		n.writeKeys, n.readKeys = stringKeys, stringKeys
	case basic && b.Info()&gotypes.IsInteger != 0:
		n.writeKeys, n.readKeys = intKeys, intKeys
		if implements(u.Key(), "MarshalText") {
			n.writeKeys = textKeys
		}
	case implements(u.Key(), "MarshalText"):
		n.writeKeys, n.readKeys = textKeys, noKeys
	default:
		pl.problem(at, "use keys of a string or integer type, or give the type of the keys MarshalText and UnmarshalText",
			"JSON has no map with keys of type %s", n.keyText)
	}
	if text {
		n.readKeys = textKeys
	}
	if n.readKeys == noKeys {
		n.read = nowise
	}
}

func (pl *planner) unsupported(t gotypes.Type, at place) {
	if b, ok := t.Underlying().(*gotypes.Basic); ok && b.Kind() == gotypes.Invalid {
		pl.problem(at, "mend the error that go build reports", "the type of the field is not known")
		return
	}
	what := "complex number"
	switch t.Underlying().(type) {
	case *gotypes.Chan:
		what = "channel"
	case *gotypes.Signature:
		what = "function"
	}
	if strings.HasPrefix(t.String(), "unsafe.") {
		what = "pointer of package unsafe"
	}
	pl.problem(at, "take the field out, tag it `json:\"-\"`, or give its type MarshalJSON and UnmarshalJSON",
		"JSON has nothing for a %s (%s)", what, reflectText(t))
}
