package deepcopy

import (
	"go/token"
	"slices"
	"sort"

	"github.com/typeplane/typeplane/generators/internal/model"

	"k8s.io/gengo/v2/types"
)

// alias is a kind of another module for which an exported function is printed.
type alias struct {
	name string
	node *node
}

// foreign is a type of another module that a function of the file copies.
type foreign struct {
	typ  *types.Type
	body *node
	// assigned are the structs of other modules behind its slices, maps and pointers that are
	// assigned as they are.
	assigned []*types.Type
}

// metadata is what every kind has, of which a package's kinds get a copy that is faster than the
// method.
var metadata = types.Name{Package: metaPath, Name: "ObjectMeta"}

// managed is an item of its list of managed fields, of which most objects have one.
var managed = types.Name{Package: metaPath, Name: "ManagedFieldsEntry"}

// aliases plans the functions for the kinds that a package has as aliases.
func (pl *planner) aliases(pkg *model.Package) []alias {
	pl.reached = map[*types.Type]bool{}
	if t := pl.pass.Model.Universe.Package(metadata.Package).Types[metadata.Name]; t != nil {
		pl.reach(t)
	}
	if pl.mode(pkg) != all {
		return nil
	}
	kinds := pl.pass.Model.Aliases(pkg)
	for _, a := range kinds {
		pl.reach(a.Target)
	}
	var out []alias
	for _, a := range kinds {
		at := place{a.Name, pl.pass.Model.AliasPos(a)}
		if !pkg.CanImport(a.Target.Name.Package) {
			pl.problem(at, "declare the kind in this package, or use an alias of a type that can be imported",
				"%s is in an internal package of another module, which code that is printed here can't import", a.Target)
			continue
		}
		n := pl.node(a.Target, at)
		if n.how != generated && n.how != function && !(n.how == manual && n.deep && !n.byValue) {
			pl.problem(at, "write a DeepCopy method that returns a pointer for it", "%s has no deep copy", a.Target)
			continue
		}
		out = append(out, alias{a.Name, n})
	}
	return out
}

// reach notes the structs of other modules that a type is made of.
func (pl *planner) reach(t *types.Type) {
	if _, seen := pl.reached[t]; seen || t == nil {
		return
	}
	if t.Name.Package != "" {
		pl.reached[t] = false
	}
	u := model.Underlying(t)
	pl.reach(u.Elem)
	for _, m := range u.Members {
		pl.reach(m.Type)
	}
}

// byFunction tells whether the package that is planned has a function for a type. Such a type is a
// struct of another module that an alias kind is made of. Others gave it its methods, and its
// fields can all be reached.
func (pl *planner) byFunction(t *types.Type) bool {
	planned, reached := pl.reached[t]
	if !reached || planned {
		return planned
	}
	pkg := pl.pass.Model.Package(t.Name.Package)
	if pkg == nil || pkg.Main || !pl.current.CanImport(t.Name.Package) || !declares(t, "DeepCopyInto") {
		return false
	}
	for _, m := range t.Members {
		if !token.IsExported(m.Name) {
			return false
		}
	}
	pl.reached[t] = true
	return true
}

// foreignFunctions plans the functions that the package needs, and those that they need, sorted by
// type.
func (pl *planner) foreignFunctions() []foreign {
	bodies := map[*types.Type]*node{}
	for again := true; again; {
		again = false
		for t, needed := range pl.reached {
			if needed && bodies[t] == nil {
				bodies[t], again = pl.shape(t, place{path: t.Name.Name, pos: pl.pass.Model.PackagePos(pl.current)}, true), true
			}
		}
	}
	var out []foreign
	for t, body := range bodies {
		out = append(out, foreign{t, body, pl.assigned(body, nil)})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].typ.Name.String() < out[j].typ.Name.String() })
	return out
}

// assigned adds the structs of other modules that are assigned somewhere else than in the struct
// that a node is for.
func (pl *planner) assigned(n *node, found []*types.Type) []*types.Type {
	for _, f := range n.fields {
		found = pl.assigned(f.node, found)
	}
	if n.elem == nil {
		return found
	}
	t := n.elem.typ
	pkg := pl.pass.Model.Package(t.Name.Package)
	if n.elem.how == assign && n.how != array && t.Kind == types.Struct && pkg != nil && !pkg.Main && !immutable[t.Name] && !slices.Contains(found, t) {
		found = append(found, t)
	}
	return pl.assigned(n.elem, found)
}
