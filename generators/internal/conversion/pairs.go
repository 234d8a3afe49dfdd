package conversion

import (
	"fmt"
	"go/token"
	"maps"
	"sort"
	"strings"

	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Pairs returns what zz_generated.conversion.go of a package converts, sorted by name. Problems go
// to report, which may be nil.
func Pairs(m *model.Model, pkg *model.Package, report *diag.Report) []Pair {
	if report == nil {
		report = &diag.Report{}
	}
	version, hubs := readPackage(m, pkg, report)
	if version == nil {
		return nil
	}
	pairs := plainPairs(m, version, hubs, report)
	p := newPlanner(m, pkg, version, hubs, &diag.Report{})
	p.keepers = p.newKeepers(pairs)
	return p.keep(pairs)
}

// plainPairs are the pairs with the functions that keep nothing.
func plainPairs(m *model.Model, version *model.Package, hubs []*model.Package, report *diag.Report) []Pair {
	var out []Pair
	theirs := make([]map[string]*types.Type, len(hubs))
	for i, hub := range hubs {
		theirs[i] = declared(m, hub)
	}
	for name, t := range declared(m, version) {
		if !convertible(t) || optedOut(m, t, report) {
			continue
		}
		for _, hub := range theirs {
			if h := hub[name]; h != nil && convertible(h) {
				out = append(out, Pair{Version: t, Hub: h, ToHub: Name(t, h), FromHub: Name(h, t)})
				break
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Version.Name.Name < out[j].Version.Name.Name })
	return out
}

// declared are the types of a package by name: its own, the kinds that it serves by aliases, and
// the structs beside those that they are made of.
func declared(m *model.Model, pkg *model.Package) map[string]*types.Type {
	out := map[string]*types.Type{}
	var visit func(t *types.Type, of string)
	visit = func(t *types.Type, of string) {
		switch {
		case t == nil:
			return
		case t.Name.Package == of && t.Kind == types.Struct:
			if out[t.Name.Name] != nil {
				return
			}
			out[t.Name.Name] = t
			for _, field := range t.Members {
				visit(field.Type, of)
			}
		case t.Kind == types.Pointer || t.Kind == types.Slice || t.Kind == types.Array || t.Kind == types.Map:
			visit(t.Key, of)
			visit(t.Elem, of)
		case t.Name.Package == of && t.Kind == types.Alias:
			visit(t.Underlying, of)
		}
	}
	for _, a := range m.Aliases(pkg) {
		visit(a.Target, a.Target.Name.Package)
	}
	maps.Copy(out, pkg.Types.Types)
	return out
}

// convertible tells whether a function is printed for the type, if it has a counterpart.
func convertible(t *types.Type) bool {
	return t.Kind == types.Struct && len(t.TypeParams) == 0 && token.IsExported(t.Name.Name) && !model.IsInstance(t)
}

// optedOut tells whether the type has the tag that keeps it from being converted. conversion-gen
// reads the comment above the type alone.
func optedOut(m *model.Model, t *types.Type, report *diag.Report) bool {
	value, ok := m.AboveType(t).Last(tagName)
	if !ok && m.OfType(t).Has(tagName) {
		report.Warn(diag.Problem{
			Pos: m.TypePos(t), Path: t.Name.Name, Message: "+" + tagName + " has no effect in a comment apart from the type's, where conversion-gen does not read it: the type is converted",
			Cure: "move it to the comment right above the type, or take it away",
		})
	}
	if ok && value != "false" {
		report.Add(diag.Problem{
			Pos: m.TypePos(t), Path: t.Name.Name,
			Message: fmt.Sprintf("+%s=%s: on a type, want false", tagName, value),
		})
	}
	return ok
}

// readPackage returns the package that holds the versioned types and the hubs; version is nil if
// pkg asks for nothing or its tags are wrong. A package that says false has no hubs.
func readPackage(m *model.Model, pkg *model.Package, report *diag.Report) (version *model.Package, hubs []*model.Package) {
	problem := func(format string, args ...any) {
		report.Add(diag.Problem{Pos: m.PackagePos(pkg), Path: "package " + pkg.Name, Message: fmt.Sprintf(format, args...)})
	}
	paths := m.OfPackage(pkg).Values(tagName)
	if len(paths) == 0 {
		return nil, nil
	}
	version = pkg
	if external := m.OfPackage(pkg).Values(externalName); len(external) > 1 {
		problem("+%s stands twice, want one package", externalName)
		return nil, nil
	} else if len(external) == 1 {
		if version = m.Package(external[0]); version == nil {
			problem("+%s=%s: there is no such package; want an import path", externalName, external[0])
			return nil, nil
		}
		if err := m.DependencyComments(external[0]); err != nil {
			problem("+%s=%s: %v", externalName, external[0], err)
		}
	}
	if len(paths) == 1 && paths[0] == "false" {
		return version, nil // only what types and functions ask for themselves
	}
	for _, path := range paths {
		hub := m.Package(path)
		switch {
		case path == "false":
			problem("+%s=false contradicts the package's other +%s", tagName, tagName)
		case path == version.Path && len(paths) == 1:
			report.Warn(diag.Problem{
				Pos: m.PackagePos(pkg), Path: "package " + pkg.Name,
				Message: fmt.Sprintf("+%s=%s has no effect, because a package is not converted to itself", tagName, path),
				Cure:    "name the hub's import path, or remove the tag",
			})
			return nil, nil
		case path == version.Path:
			continue // says where functions by hand are, and those of the package are found anyway
		case hub == nil:
			problem("+%s=%s: there is no such package; want the import path of the hub", tagName, path)
		default:
			hubs = append(hubs, hub)
			continue
		}
		return nil, nil
	}
	return version, hubs
}

// Name returns the name of the function that converts a to b. It has the last element of the import
// path of each; where the names would be equal, so many more elements that they differ.
func Name(a, b *types.Type) string {
	for n := 1; ; n++ {
		names := namer.NameStrategy{
			Join:                func(_ string, parts []string, _ string) string { return strings.Join(parts, "_") },
			PrependPackageNames: n,
		}
		from, to := names.Name(a), names.Name(b)
		if from != to || a.Name == b.Name || n > strings.Count(a.Name.Package+b.Name.Package, "/")+1 {
			return "Convert_" + from + "_To_" + to
		}
	}
}
