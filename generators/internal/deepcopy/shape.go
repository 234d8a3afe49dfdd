package deepcopy

import (
	"go/token"
	gotypes "go/types"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// immutable are structs of other modules that hold pointers and may be assigned nevertheless. Their
// methods, where they have any, do that too.
var immutable = map[types.Name]bool{
	{Package: metaPath, Name: "Time"}:        true,
	{Package: metaPath, Name: "MicroTime"}:   true,
	{Package: "time", Name: "Time"}:          true,
	{Package: "time", Name: "Location"}:      true,
	{Package: "net/netip", Name: "Addr"}:     true,
	{Package: "net/netip", Name: "AddrPort"}: true,
	{Package: "net/netip", Name: "Prefix"}:   true,
}

// node decides how values of a type are copied, for use inside other types: methods win over shape.
func (pl *planner) node(t *types.Type, at place) *node {
	if n := pl.byMethod(t, at); n != nil {
		return n
	}
	return pl.shape(t, at, false)
}

// byMethod returns a node for a type that has methods or will have, nil for others.
func (pl *planner) byMethod(t *types.Type, at place) *node {
	if t.Name.Package == "" || immutable[t.Name] {
		return nil
	}
	deep, into := pl.handWritten(t)
	if deep != nil || into != nil {
		n := &node{how: manual, typ: t, byValue: reference(t)}
		if deep != nil {
			n.byValue = deep.Signature.Results[0].Type.Kind != types.Pointer
		}
		both := pl.planned(t)
		n.deep, n.into = deep != nil || both || declares(t, "DeepCopy"), into != nil || both || declares(t, "DeepCopyInto")
		return n
	}
	if t.Kind == types.Alias && pl.busy[t] {
		if !pl.planned(t) {
			pl.problem(at, "add +"+enableTag+"=true to it", "%s has no deep copy and contains itself", t)
		}
		return &node{how: manual, typ: t, byValue: true, deep: true, into: true}
	}
	if t.Kind != types.Struct || plain(t, nil) {
		return nil
	}
	if pl.byFunction(t) {
		return &node{how: function, typ: t}
	}
	if pl.planned(t) || pl.help(t) || declares(t, "DeepCopyInto") && declares(t, "DeepCopy") {
		return &node{how: generated, typ: t, deep: true, into: true}
	}
	return nil
}

// planned tells whether this run, or one for the type's package, generates methods for a type.
func (pl *planner) planned(t *types.Type) bool {
	pkg := pl.pass.Model.Package(t.Name.Package)
	if pkg == nil || !pkg.Main || strings.Contains(t.Name.Name, "[") || !copyable(t) {
		return false
	}
	w, err := pl.typeWish(pkg, t)
	switch {
	case err != nil || w.out:
		return false
	case pl.mode(pkg) == all:
		return w.in || token.IsExported(t.Name.Name)
	default:
		return pl.mode(pkg) == optIn && w.in
	}
}

// help asks for methods of an unexported struct that another type of its package needs.
func (pl *planner) help(t *types.Type) bool {
	if token.IsExported(t.Name.Name) || strings.Contains(t.Name.Name, "[") {
		return false
	}
	if pl.current.Path == t.Name.Package {
		pl.helpers[t] = true
		return true
	}
	return false
}

// shape decides by what a type is made of. root tells that it is the type whose methods are
// planned.
func (pl *planner) shape(t *types.Type, at place, root bool) *node {
	if immutable[t.Name] {
		return &node{how: assign, typ: t}
	}
	u := model.Underlying(t)
	n := &node{how: assign, typ: t}
	if t.Kind == types.Alias && !pl.busy[t] {
		pl.busy[t] = true
		defer delete(pl.busy, t)
	}
	switch u.Kind {
	case types.Builtin:
	case types.Slice:
		n.how, n.elem = slice, pl.node(u.Elem, at)
	case types.Pointer:
		n.how, n.elem = pointer, pl.node(u.Elem, at)
	case types.Map:
		n.how, n.elem = mapping, pl.node(u.Elem, at)
		if !plain(u.Key, nil) {
			pl.problem(at, "use a key without pointers", "keys of type %s cannot be copied", u.Key)
		}
	case types.Array:
		if n.elem = pl.node(u.Elem, at); n.elem.how != assign {
			n.how = array
		}
	case types.Struct:
		pl.structShape(n, t, at, root)
	case types.Interface:
		pl.interfaceShape(n, t, at)
	default:
		pl.unsupported(t, u, at)
	}
	return n
}

// structShape plans the fields of a struct. Inside another type, a struct that holds no pointers is
// assigned.
func (pl *planner) structShape(n *node, t *types.Type, at place, root bool) {
	if !root && plain(t, nil) {
		return
	}
	n.how = inline
	if !root && t.Name.Package != "" {
		if !pl.reachable(t, at) {
			return
		}
		pl.busy[t] = true
		defer delete(pl.busy, t)
	}
	for _, m := range model.Underlying(t).Members {
		if m.Name == "_" {
			continue
		}
		inside := place{at.path + "." + m.Name, pl.pass.Model.MemberPos(t, m.Name)}
		if !root && t.Name.Package != "" {
			inside.pos = at.pos
		}
		if reason := pl.pass.Model.TypeError(t, m.Name); reason != "" && broken(m.Type) {
			pl.problem(inside, "", "the type of the field is not known: %s", reason)
			continue
		}
		n.fields = append(n.fields, field{m.Name, pl.node(m.Type, inside)})
	}
	n.apart = root && mostlyCalls(n)
}

// mostlyCalls tells whether most of a struct are fields that a method or function writes: assigning
// all of it first would write those twice.
func mostlyCalls(n *node) bool {
	var called int64
	for _, f := range n.fields {
		if f.node.how == generated || f.node.how == function {
			called += size(f.node.typ)
		}
	}
	return called*2 > size(n.typ) && len(n.fields) == len(model.Underlying(n.typ).Members)
}

// size is how many bytes a value takes on a machine of 64 bits; 0 if that is not known.
func size(t *types.Type) int64 {
	if t.GoType == nil || broken(t) {
		return 0
	}
	return sizes.Sizeof(t.GoType)
}

var sizes = gotypes.SizesFor("gc", "amd64")

// reachable tells whether generated code of this run may copy a struct without methods field by
// field, and reports why not.
func (pl *planner) reachable(t *types.Type, at place) bool {
	if pl.busy[t] {
		pl.problem(at, "write a DeepCopyInto method for it", "%s has no deep copy and contains itself", t)
		return false
	}
	pkg := pl.pass.Model.Package(t.Name.Package)
	generic := strings.Contains(t.Name.Name, "[")
	if pkg != nil && pkg.Main && !generic {
		cure := "add +" + enableTag + "=true to it, or write the methods"
		if w, _ := pl.typeWish(pkg, t); w.out {
			cure = "take its +" + enableTag + "=false away, or write a DeepCopyInto method"
		}
		pl.problem(at, cure, "%s has no deep copy", t)
		return false
	}
	for _, m := range t.Members {
		if !token.IsExported(m.Name) && m.Name != "_" && t.Name.Package != pl.current.Path {
			pl.problem(at, "use a type with a DeepCopyInto method, or write DeepCopyInto for the type around it",
				"%s has no deep copy, and its field %s is out of reach", t, m.Name)
			return false
		}
	}
	return true
}

func (pl *planner) interfaceShape(n *node, t *types.Type, at place) {
	if len(t.Methods) == 0 {
		n.how = dynamic
		return
	}
	n.how = named
	if t.Methods["DeepCopy"+t.Name.Name] == nil {
		pl.problem(at, "use an interface with a method like DeepCopyShape() Shape, named after it, or write DeepCopyInto for the type around it",
			"the interface %s cannot be copied", t)
	}
}

func (pl *planner) unsupported(t, u *types.Type, at place) {
	if b, ok := u.GoType.(*gotypes.Basic); ok && b.Info()&gotypes.IsComplex != 0 {
		return
	}
	if broken(t) {
		pl.problem(at, "mend the error that go build reports", "the type of the field is not known")
		return
	}
	pl.problem(at, "take the field out, or write DeepCopyInto for the type around it",
		"a %s cannot be copied", strings.ToLower(string(u.Kind)))
}

// broken tells whether a type is one that the type checker could not make out.
func broken(t *types.Type) bool {
	switch t.Kind {
	case types.Unsupported:
		b, ok := t.GoType.(*gotypes.Basic)
		return !ok || b.Kind() == gotypes.Invalid
	case types.Slice, types.Pointer, types.Array:
		return broken(t.Elem)
	case types.Map:
		return broken(t.Key) || broken(t.Elem)
	}
	return false
}

// plain tells whether an assignment copies everything: no pointers anywhere, or only ones to what
// never changes.
func plain(t *types.Type, seen []*types.Type) bool {
	if immutable[t.Name] {
		return true
	}
	u := model.Underlying(t)
	switch u.Kind {
	case types.Builtin:
		return true
	case types.Array:
		return plain(u.Elem, seen)
	case types.Struct:
		for _, m := range u.Members {
			if !plain(m.Type, seen) {
				return false
			}
		}
		return true
	case types.Unsupported:
		b, ok := u.GoType.(*gotypes.Basic)
		return ok && b.Info()&gotypes.IsComplex != 0
	}
	return false
}
