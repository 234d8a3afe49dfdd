package generators

import (
	"maps"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// endless reports types that are made of nothing but themselves, and tells whether there are some.
// These are pointers like type P *P, and lists and maps like type L []L where kinds are served.
// Plug-ins would follow them forever.
func endless(m *model.Model, packages []*model.Package, report *diag.Report) bool {
	w := endlessWalk{model: m, report: report, seen: map[*types.Type]bool{}}
	for _, pkg := range packages {
		w.serves = m.Serves(pkg)
		for _, name := range slices.Sorted(maps.Keys(pkg.Types.Types)) {
			w.visit(pkg.Types.Types[name], nil)
		}
	}
	return w.found
}

type endlessWalk struct {
	model  *model.Model
	report *diag.Report
	seen   map[*types.Type]bool // structs with a name
	serves bool
	found  bool
}

// visit goes through what a type is made of. within are the types around it, up to a struct with a
// name.
func (w *endlessWalk) visit(t *types.Type, within []*types.Type) {
	if i := slices.Index(within, t); i >= 0 {
		w.made(within[i:])
		return
	}
	within = append(slices.Clip(within), t)
	switch {
	case t.Kind == types.Alias:
		w.visit(t.Underlying, within)
	case t.Elem != nil && (w.serves || t.Kind == types.Pointer):
		w.visit(t.Elem, within)
	case t.Kind == types.Struct && w.serves && !w.seen[t]:
		if t.Name.Package != "" {
			w.seen[t], within = true, nil
		}
		for _, m := range t.Members {
			w.visit(m.Type, within)
		}
	}
}

// made reports types of which each is made of the next, and the last of the first.
func (w *endlessWalk) made(of []*types.Type) {
	w.found = true
	i := max(0, slices.IndexFunc(of, func(t *types.Type) bool { return t.Name.Package != "" }))
	w.report.Add(diag.Problem{Pos: w.model.TypePos(of[i]), Path: of[i].Name.Name, Message: "it is made of nothing but itself", Cure: "put a struct with a name between"})
}
