package apiserver

import (
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/defaulter"
	"github.com/typeplane/typeplane/generators/internal/fieldset"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

// apiPackages are the packages in the folders below main that have a group, by import path. One
// that exists and is not part of the run is a problem, and then ok is false: without it the server
// would lose its kinds, silently.
func (p *planner) apiPackages(main *model.Package, all []*model.Package) (out []*model.Package, ok bool) {
	loaded := map[string]bool{}
	for _, pkg := range all {
		loaded[filepath.Clean(pkg.Dir)] = true
		if strings.HasPrefix(pkg.Path, main.Path+"/") && p.model.OfPackage(pkg).Has(tagGroupName) {
			out = append(out, pkg)
		}
	}
	ok = true
	for _, dir := range foldersWithGroup(main.Dir) {
		if loaded[dir] {
			continue
		}
		if below, err := filepath.Rel(main.Dir, dir); err == nil {
			dir = below
		}
		p.problem(p.model.PackagePos(main), main.Path, fmt.Sprintf("the package in %s has a +%s= and is not part of this run", dir, tagGroupName),
			"name all packages of the server to gen, as ./...")
		ok = false
	}
	return out, ok
}

// foldersWithGroup finds the folders below dir whose doc.go has a group, with the exceptions of the
// go command.
func foldersWithGroup(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what can't be read is not a package
		case d.IsDir() && name != dir:
			base := d.Name()
			_, notOurs := os.Stat(filepath.Join(name, "go.mod"))
			if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || notOurs == nil {
				return fs.SkipDir
			}
		case d.Name() == "doc.go":
			text, _ := os.ReadFile(name)
			if saysGroup.Match(text) {
				out = append(out, filepath.Dir(name))
			}
		}
		return nil
	})
	return out
}

var saysGroup = regexp.MustCompile(`(?m)^//\s*\+` + tagGroupName + `=`)

// versions are the kinds of one API package, by name.
func (p *planner) versions(pkg *model.Package) []*version {
	gv := p.groupVersion(pkg)
	p.groupVersions[pkg] = gv
	p.checkLists(pkg)
	defaulted := defaulter.Covers(p.model, pkg)
	var out []*version
	for _, v := range p.declared(pkg) {
		if v.markers.Has(tagSkip) {
			for mk := range v.markers.All() {
				v.markers.Claim(mk) // with the kind goes what is said of it
			}
			continue
		}
		if p.bodies[v.goType] && v.list() == nil || !p.hasList(v) {
			continue
		}
		v.gv, v.hub, v.served = gv, v.goType, !v.markers.Has(tagUnserved)
		if c, ok := p.conversions[v.goType]; ok {
			v.hub, v.conversions = c.Hub, c
		}
		v.defaults = defaulted[v.goType.Name.Name]
		v.inPackage = p.model.OfPackage(pkg)
		v.publishes, v.exports = openapi.Publishes(p.model, pkg), fieldset.Exports(p.model, pkg)
		v.fields = p.selectableFields(v)
		v.scale = p.scale(v)
		v.columns = p.columns(v)
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b *version) int { return strings.Compare(a.goType.Name.Name, b.goType.Name.Name) })
	return out
}

// checkLists warns of lists whose items look like a kind and are none.
func (p *planner) checkLists(pkg *model.Package) {
	for _, name := range slices.Sorted(maps.Keys(pkg.Types.Types)) {
		item := pkg.Types.Types[strings.TrimSuffix(name, "List")]
		if item == nil || item.Name.Name == name || !token.IsExported(name) || !isList(pkg.Types.Types[name], item) {
			continue
		}
		if model.Embeds(item, "TypeMeta") && model.Embeds(item, "ObjectMeta") || p.model.OfType(item).Has(tagSkip) {
			continue
		}
		p.report.Warn(problemAt(p.model.TypePos(item), item.Name.Name, "it has a list as a kind has, and is not served: it does not embed both metav1.TypeMeta and metav1.ObjectMeta",
			"embed them in the struct itself, or say +"+tagSkip))
	}
}

// declared are the kinds that a package declares: structs of its own, and aliases of kinds of other
// modules.
func (p *planner) declared(pkg *model.Package) (out []*version) {
	for _, t := range pkg.Types.Types {
		if t.Kind == types.Struct && token.IsExported(t.Name.Name) && model.Embeds(t, "TypeMeta") && model.Embeds(t, "ObjectMeta") {
			out = append(out, &version{pkg: pkg, goType: t, markers: p.model.OfType(t), pos: p.model.TypePos(t)})
		}
	}
	for _, a := range p.model.Aliases(pkg) {
		if !p.model.IsKind(a) {
			continue // a list
		}
		markers, err := p.model.OfKind(a)
		v := &version{pkg: pkg, goType: a.Target, markers: markers, pos: p.model.AliasPos(a)}
		if err != nil {
			p.problem(v.pos, a.Name, "what its type says of how it is served can't be read: "+err.Error(), "")
			continue
		}
		if a.Name != a.Target.Name.Name {
			p.problem(v.pos, a.Name, "it is an alias of a kind with another name, "+a.Target.Name.Name, "call the alias "+a.Target.Name.Name)
			continue
		}
		if of := p.model.Package(a.Target.Name.Package); of != nil && of.Main {
			p.problem(v.pos, a.Name, "it is an alias of a kind of this module", "declare the kind where it is to be served; aliases are for kinds of other modules")
			continue
		}
		out = append(out, v)
	}
	return out
}

// groupVersion is the group of the tag and the version that the folder is called after, or a tag.
func (p *planner) groupVersion(pkg *model.Package) schema.GroupVersion {
	var gv schema.GroupVersion
	gv.Group, gv.Version, _ = p.model.GroupVersion(pkg)
	if len(validation.IsDNS1123Subdomain(gv.Group)) > 0 && gv.Group != "" {
		p.problem(p.model.PackagePos(pkg), pkg.Path, fmt.Sprintf("+%s=%s is no DNS name", tagGroupName, gv.Group), "use a domain that is yours, like library.example.com")
	}
	if len(validation.IsDNS1035Label(gv.Version)) > 0 {
		p.problem(p.model.PackagePos(pkg), pkg.Path, fmt.Sprintf("%q can't be an API version", gv.Version),
			"call the folder v1, v1beta1, v1alpha1 or the like, or say +"+tagVersionName+"=v1")
	}
	if name := pkg.Name; model.IsVersion(name) && name != gv.Version && !p.model.OfPackage(pkg).Has(tagVersionName) {
		p.problem(p.model.PackagePos(pkg), pkg.Path, fmt.Sprintf("its folder is called %s, and the package %s, which is the version for controller-gen", gv.Version, name),
			"say +"+tagVersionName+"= with the version that is meant")
	}
	return gv
}

// hasList says whether the kind has its list type, and reports one that is missing or is no list of
// the kind.
func (p *planner) hasList(v *version) bool {
	item, name := v.goType.Name.Name, v.goType.Name.Name+"List"
	list, pos := v.list(), v.pos
	if i := slices.IndexFunc(v.pkg.Aliases, func(a model.Alias) bool { return a.Name == name }); i >= 0 {
		pos = p.model.AliasPos(v.pkg.Aliases[i])
	}
	switch {
	case list == nil && v.aliased():
		p.problem(pos, item, "it is served as a kind, and there is no "+name, "declare "+name+" too, as an alias of the list beside it")
		return false
	case list == nil:
		p.problem(pos, item, "it embeds TypeMeta and ObjectMeta as a kind does, and there is no "+name,
			"write type "+name+" struct with metav1.TypeMeta, metav1.ListMeta and Items []"+item+", or say +"+tagSkip)
		return false
	case model.IsInstance(list):
		p.problem(pos, name, "it is an instance of a generic type, which has no methods of its own here", "write type "+name+" struct with metav1.TypeMeta, metav1.ListMeta and Items []"+item)
		return false
	case !isList(list, v.goType) && v.aliased():
		p.problem(pos, name, "it is no list of "+item, "let it stand for the list that is declared beside "+item)
		return false
	case !isList(list, v.goType):
		p.problem(p.model.TypePos(list), name, "it is no list of "+item, "embed metav1.TypeMeta and metav1.ListMeta and have Items []"+item)
		return false
	}
	p.checkList(v, list, pos)
	return true
}

// list is what is called like a list of the kind, nil if nothing is.
func (v *version) list() *types.Type {
	name := v.goType.Name.Name + "List"
	if i := slices.IndexFunc(v.pkg.Aliases, func(a model.Alias) bool { return a.Name == name }); i >= 0 {
		return v.pkg.Aliases[i].Target
	}
	return v.pkg.Types.Types[name]
}

// aliased says whether the Go type belongs to another package than the kind.
func (v *version) aliased() bool { return v.goType.Name.Package != v.pkg.Path }

func isList(list, of *types.Type) bool {
	return model.Embeds(list, "TypeMeta") && model.Embeds(list, "ListMeta") && slices.ContainsFunc(list.Members, func(m types.Member) bool {
		return m.Name == "Items" && m.Type.Kind == types.Slice && model.Pointee(m.Type.Elem) == of
	})
}
