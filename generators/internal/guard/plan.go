package guard

import (
	gotypes "go/types"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// guard is what one file holds.
type guard struct {
	pkg *model.Package
	// types are guarded, those of the package itself first, by name.
	types []*gotypes.Named
}

// byName are the files in which types are only named: they are right whatever the fields are.
var byName = []string{"register-gen", "apiserver-gen", "prerelease-lifecycle-gen"}

// plan decides which types are guarded where.
func plan(pass *generators.Pass) []guard {
	printed := map[string][]*emit.File{}
	for _, f := range pass.Printed {
		if f.Generator != "" && !slices.Contains(byName, f.Generator) && !strings.HasSuffix(f.Name, "_test.go") {
			printed[f.PkgPath] = append(printed[f.PkgPath], f)
		}
	}
	var out []guard
	guarded := map[string]bool{}
	for _, pkg := range pass.Packages {
		if types := own(pkg, printed[pkg.Path]); on(pass, pkg) && len(types) > 0 {
			out = append(out, guard{pkg, types})
			guarded[pkg.Path] = true
		}
	}
	for i, g := range out {
		out[i].types = append(g.types, strangers(pass.Model, g.pkg, printed[g.pkg.Path], guarded)...)
	}
	return out
}

// own are the types of a package that its generated files depend on.
func own(pkg *model.Package, files []*emit.File) []*gotypes.Named {
	r := reach{pkg: pkg.Go, seen: map[*gotypes.Named]bool{}}
	left := map[string]*gotypes.Named{}
	for _, name := range pkg.Go.Scope().Names() {
		if t := declared(pkg.Go, name); t != nil {
			left[name] = t
		}
	}
	for _, f := range files {
		for word := range words(f.Body()) {
			if t := left[string(word)]; t != nil {
				delete(left, string(word))
				r.add(t)
			}
			if len(left) == 0 {
				break
			}
		}
	}
	return r.guardable()
}

// strangers are the types of unguarded packages of the main module that generated files mention, as
// far as they can be written here.
func strangers(m *model.Model, pkg *model.Package, files []*emit.File, guarded map[string]bool) []*gotypes.Named {
	found := map[*gotypes.Named]bool{}
	for _, f := range files {
		for named := range f.Mentioned() {
			if guarded[named.Path] || !mayImport(pkg.Path, named.Path) {
				continue
			}
			from := m.Package(named.Path)
			if from == nil || !from.Main || from.Broken {
				continue
			}
			t := declared(from.Go, named.Name)
			if t != nil && t.TypeParams().Len() == 0 && guardable(t) && writable(t.Underlying(), pkg.Path) {
				found[t] = true
			}
		}
	}
	return sorted(found)
}

// declared is the type that a package declares under a name; nil if that is none, or an alias.
func declared(pkg *gotypes.Package, name string) *gotypes.Named {
	obj, ok := pkg.Scope().Lookup(name).(*gotypes.TypeName)
	if !ok || obj.IsAlias() {
		return nil
	}
	t, _ := obj.Type().(*gotypes.Named)
	return t
}

// reach collects types of one package with everything of that package that they are made of.
type reach struct {
	pkg  *gotypes.Package
	seen map[*gotypes.Named]bool
}

func (r *reach) add(t *gotypes.Named) {
	t = t.Origin()
	if t.Obj().Pkg() != r.pkg || r.seen[t] {
		return
	}
	r.seen[t] = true
	parts(t.Underlying(), func(part gotypes.Type) {
		if named, ok := gotypes.Unalias(part).(*gotypes.Named); ok {
			r.add(named)
		}
	})
}

func (r *reach) guardable() []*gotypes.Named {
	for t := range r.seen {
		if !guardable(t) {
			delete(r.seen, t)
		}
	}
	return sorted(r.seen)
}

func sorted(set map[*gotypes.Named]bool) []*gotypes.Named {
	var out []*gotypes.Named
	for t := range set {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *gotypes.Named) int {
		return strings.Compare(a.Obj().Pkg().Path()+"."+a.Obj().Name(), b.Obj().Pkg().Path()+"."+b.Obj().Name())
	})
	return out
}
