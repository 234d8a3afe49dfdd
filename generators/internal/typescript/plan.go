package typescript

import (
	"cmp"
	"go/token"
	gotypes "go/types"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// file is what is printed for one package.
type file struct {
	path     string // the package that asks
	sections []section
	names    map[*types.Type]string
}

// section has the declarations of one Go package, by name.
type section struct {
	path  string
	decls []decl
}

// decl is an interface if it has fields or embeds something, else a type with another name.
type decl struct {
	of   *types.Type // what is declared, nil for another name of a type
	name string      // of another name
	doc  []string

	params []string // of a generic type
	object *object  // the interface
	values []value  // all values there are
	is     expr     // what it is otherwise
}

// object is what a struct is in JSON.
type object struct {
	extends []expr
	fields  []field
}

type field struct {
	doc      []string
	name     string // in JSON
	optional bool
	is       expr
}

// value is one of the values of a type, in TypeScript.
type value struct {
	text string
	doc  []string
}

// expr is a type where it is used. One of the first five is set.
type expr struct {
	text   string      // of TypeScript
	ref    *types.Type // declared in the file
	list   *expr       // what a list holds
	values *expr       // what an object with any keys holds
	object *object
	args   []expr // of a generic type

	// omit are hidden fields of an embedded struct, and partial says that it may be absent.
	omit    []string
	partial bool
	null    bool // it may be null
}

// plan decides what the file of a package has; nil if there is nothing to print.
func plan(pass *generators.Pass, root *model.Package) *file {
	p := &planner{from: pass.Model, read: pass.Model.Reader(), report: pass.Report, done: map[*types.Type]decl{}}
	packages := slices.DeleteFunc(pass.Below(root, func(string) bool { return false }), func(pkg *model.Package) bool { return pkg != root && !p.isAPI(pkg) })
	if !slices.Contains(packages, root) {
		packages = append(packages, root)
	}
	own := map[string]*types.Type{} // what has a name in the package that asks
	f := &file{path: root.Path}
	var aliases []decl
	for _, pkg := range packages {
		for _, t := range roots(pkg) {
			p.declare(t)
			if pkg == root {
				own[baseName(t)] = t
			}
		}
		for _, a := range exportedAliases(pkg) {
			is := p.use(a.Target, place{path: a.Name})
			switch {
			case is.ref == nil || len(is.args) > 0 || baseName(is.ref) != a.Name:
				aliases = append(aliases, decl{name: a.Name, doc: withoutTags(p.from.DocOfAlias(a)), is: is})
			case pkg == root:
				own[a.Name] = is.ref
			}
		}
	}
	p.work()
	if len(p.done) == 0 && len(aliases) == 0 {
		p.report.Add(diag.Problem{
			Pos: p.from.PackagePos(root), Message: "+" + tagName + ": no package here or below declares types for JSON",
			Cure: "say it above a package whose structs have json tags, or take it away",
		})
		return nil
	}
	slices.SortFunc(aliases, func(a, b decl) int { return strings.Compare(a.name, b.name) })
	f.sections = p.sections(root, packages, aliases)
	f.names = p.names(own, aliases)
	return f
}

// planner collects the declarations of one file.
type planner struct {
	from   *model.Model
	read   *model.Reader
	report *diag.Report

	done  map[*types.Type]decl
	queue []*types.Type
}

// isAPI says whether a package below the one that asks is one of an API: it has a group, and types
// for JSON, which hub types are not.
func (p *planner) isAPI(pkg *model.Package) bool {
	_, _, ok := p.from.GroupVersion(pkg)
	return ok && (len(p.from.Aliases(pkg)) > 0 || slices.ContainsFunc(roots(pkg), func(t *types.Type) bool { return t.Kind == types.Struct }))
}

// roots are the types of a package that are printed whether something is made of them or not: all
// that others can see and JSON can hold. Of structs these are the ones with json tags.
func roots(pkg *model.Package) []*types.Type {
	var out []*types.Type
	for _, t := range pkg.Types.Types {
		named, ok := t.GoType.(*gotypes.Named)
		if !ok || named.TypeArgs().Len() > 0 || !token.IsExported(t.Name.Name) {
			continue
		}
		switch t.Kind {
		case types.Struct:
			if model.InJSON(t) {
				out = append(out, t)
			}
		case types.Alias, types.Array:
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *types.Type) int { return strings.Compare(a.Name.Name, b.Name.Name) })
	return out
}

func exportedAliases(pkg *model.Package) []model.Alias {
	var out []model.Alias
	for _, a := range pkg.Aliases {
		if a.Go.Exported() && a.Target.Kind != types.Func && a.Target.Kind != types.Interface {
			out = append(out, a)
		}
	}
	return out
}

// declare makes sure that a type is in the file.
func (p *planner) declare(t *types.Type) {
	if _, known := p.done[t]; !known {
		p.done[t] = decl{}
		p.queue = append(p.queue, t)
	}
}

// work plans the types that wait.
func (p *planner) work() {
	for len(p.queue) > 0 {
		next := p.queue[0]
		p.queue = p.queue[1:]
		p.done[next] = p.decl(next)
	}
}

// sections puts the package that asks first, then those below it, then all others.
func (p *planner) sections(root *model.Package, packages []*model.Package, aliases []decl) []section {
	by := map[string][]decl{root.Path: aliases}
	for t, d := range p.done {
		by[t.Name.Package] = append(by[t.Name.Package], d)
	}
	rank := func(path string) int {
		switch {
		case path == root.Path:
			return 0
		case slices.ContainsFunc(packages, func(pkg *model.Package) bool { return pkg.Path == path }):
			return 1
		}
		return 2
	}
	paths := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
	var out []section
	for _, path := range paths {
		decls := by[path]
		slices.SortFunc(decls, func(a, b decl) int { return strings.Compare(a.sortName(), b.sortName()) })
		if len(decls) > 0 {
			out = append(out, section{path, decls})
		}
	}
	return out
}

func (d decl) sortName() string {
	if d.of == nil {
		return d.name
	}
	return baseName(d.of)
}
