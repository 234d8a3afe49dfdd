package clients

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Set is all that is printed for one package that asks for clients.
type Set struct {
	Layout
	// AskedBy is the package whose tag asks for the set.
	AskedBy *model.Package
	// Groups are sorted by the names of their packages.
	Groups []*Group
}

// Group is an API group, or rather the folder that its versions lie in.
type Group struct {
	// Name is the API group, "" for that of Kubernetes' core.
	Name string
	// PackageName is the folder in what is printed, after the folder of the API.
	PackageName string
	// GoName is the group's part of names in Go: Apps in AppsV1Client.
	GoName string
	// Versions are sorted by name.
	Versions []*Version
}

// Version is the API package of a version of a group.
type Version struct {
	Group   *Group
	Package *model.Package
	// Name is the version: v1beta1; GoName its part of names in Go: V1beta1.
	Name, GoName string
	// Kinds are those with a client, sorted by name.
	Kinds []*Kind
}

// Path is the folder of the version below that of listers, of informers and so on.
func (v *Version) Path() string {
	return strings.ToLower(v.Group.PackageName) + "/" + v.PackageName()
}

// PackageName is what the printed packages of the version are called.
func (v *Version) PackageName() string { return strings.ToLower(v.Name) }

// Prefix is the version's part of names in Go: AppsV1.
func (v *Version) Prefix() string { return v.Group.GoName + v.GoName }

// APIVersion is the group and version as objects have it.
func (v *Version) APIVersion() string {
	return strings.TrimPrefix(v.Group.Name+"/"+v.Name, "/")
}

// Plan decides what is printed. Problems are reported each time; a run says each but once.
func Plan(pass *generators.Pass) []*Set {
	var out []*Set
	taken := map[string]*model.Package{} // by folder
	for _, pkg := range pass.Packages {
		p := planner{pass: pass, root: pkg}
		layout, asks := p.layout()
		if !asks {
			continue
		}
		p.plurals = layout.plurals
		p.checkClientGo()
		set := &Set{Layout: layout, AskedBy: pkg, Groups: p.groups(pass.Below(pkg, layout.prints))}
		if len(set.Groups) == 0 {
			p.problemAt(pkg, ": no kind of the package, or of one below it, says +"+tagGen+" or is served",
				"say +"+tagGen+" above a kind, or take the tag away")
			continue
		}
		p.checkFolders(set)
		if other := taken[set.Clientset.Dir]; other != nil {
			p.problemAt(pkg, ": package "+other.Path+" asks for clients in the same folder", "say dir= and another folder in one of them")
		}
		taken[set.Clientset.Dir] = pkg
		out = append(out, set)
	}
	return out
}

// Has tells whether a package is one of the set.
func (s *Set) Has(pkg string) bool {
	return slices.ContainsFunc(s.Groups, func(g *Group) bool {
		return slices.ContainsFunc(g.Versions, func(v *Version) bool { return v.Package.Path == pkg })
	})
}

// ApplyOf is the apply configuration of a type that has a client, or that a method of one applies.
// Those of Kubernetes' own types are in client-go.
func (s *Set) ApplyOf(t *types.Type) emit.Ident {
	name := t.Name.Name + "ApplyConfiguration"
	if at, ok := s.Externals[t.Name]; ok {
		return emit.Ident{Path: at, Name: name}
	}
	if below, ok := strings.CutPrefix(t.Name.Package, "k8s.io/api/"); ok && !s.Has(t.Name.Package) {
		return emit.Ident{Path: "k8s.io/client-go/applyconfigurations/" + below, Name: name}
	}
	return emit.Ident{Path: s.Apply.Below(folderOf(t.Name.Package)).Path, Name: name}
}

// folderOf is the folder of a group and version in what is printed, after that of the API.
func folderOf(pkg string) string {
	return strings.ToLower(path.Join(path.Base(path.Dir(pkg)), path.Base(pkg)))
}

// planner works for one package that asks for clients.
type planner struct {
	pass    *generators.Pass
	root    *model.Package
	plurals map[string]string
}

// groups are those of some packages, without packages that have no kind for a client.
func (p *planner) groups(packages []*model.Package) []*Group {
	byFolder := map[string]*Group{}
	for _, pkg := range packages {
		v := p.version(pkg)
		if v == nil {
			continue
		}
		folder := path.Base(path.Dir(pkg.Path))
		g := byFolder[folder]
		if g == nil {
			g = v.Group
			byFolder[folder] = g
		}
		if g.Name != v.Group.Name || g.GoName != v.Group.GoName {
			p.problemAt(pkg, fmt.Sprintf(": package %s of group %q and this one of group %q lie in folders of the same name, so their clients would be one package",
				g.Versions[0].Package.Path, g.Name, v.Group.Name), "give the folders different names")
			continue
		}
		v.Group = g
		g.Versions = append(g.Versions, v)
	}
	var out []*Group
	for _, g := range byFolder {
		slices.SortFunc(g.Versions, func(a, b *Version) int { return cmp.Compare(a.Name, b.Name) })
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *Group) int { return cmp.Compare(a.PackageName, b.PackageName) })
	return out
}

// version is what a package has for clients, nil if it has no kind for one.
func (p *planner) version(pkg *model.Package) *Version {
	name, version, said := p.pass.Model.GroupVersion(pkg)
	folder := path.Base(path.Dir(pkg.Path))
	if !said {
		name = folder
	}
	v := &Version{Package: pkg, Name: version, GoName: upper(version)}
	v.Group = &Group{Name: name, PackageName: folder, GoName: p.groupGoName(pkg, name)}
	p.aliases(pkg)
	for _, t := range pkg.Types.Types {
		if k := p.kind(v, t); k != nil {
			v.Kinds = append(v.Kinds, k)
		}
	}
	if len(v.Kinds) == 0 {
		return nil
	}
	slices.SortFunc(v.Kinds, func(a, b *Kind) int { return cmp.Compare(a.Private, b.Private) })
	p.checkRegistration(pkg)
	return v
}

// groupGoName is the first part of a group's name, as in Go, or what a tag says.
func (p *planner) groupGoName(pkg *model.Package, group string) string {
	if said, ok := p.pass.Model.OfPackage(pkg).Last(tagGroupGoName); ok {
		return upper(said)
	}
	first, _, _ := strings.Cut(cmp.Or(group, "core"), ".")
	return identifier(upper(first))
}

// checkRegistration reports a package that can't be put into the clients' scheme.
func (p *planner) checkRegistration(pkg *model.Package) {
	if registers(p.pass.Model, pkg) {
		return
	}
	p.problemAt(pkg, ": the clients of package "+pkg.Path+" need its SchemeGroupVersion and AddToScheme, which it neither declares nor gets",
		"say +groupName= above its package clause, and +kubebuilder:object:root=true above its kinds")
}

// checkFolders reports outputs that would lie on each other.
func (p *planner) checkFolders(set *Set) {
	seen := map[string]string{}
	for _, at := range []struct{ key, dir string }{
		{keyClientset, set.Clientset.Dir}, {keyListers, set.Listers.Dir}, {keyInformers, set.Informers.Dir}, {keyApply, set.Apply.Dir},
	} {
		if at.dir == "" {
			continue
		}
		if other := seen[filepath.Clean(at.dir)]; other != "" {
			p.problemAt(p.root, ": "+other+" and "+at.key+" would go into one folder", "name different folders")
		}
		seen[filepath.Clean(at.dir)] = at.key
	}
}

// problemAt reports something about the tag that asks for clients, at a package.
func (p *planner) problemAt(pkg *model.Package, message, cure string) {
	p.pass.Report.Add(diag.Problem{Pos: p.pass.Model.PackagePos(pkg), Message: "+" + tagClient + message, Cure: cure})
}

// problem reports something about a type.
func (p *planner) problem(t *types.Type, message, cure string) {
	p.pass.Report.Add(diag.Problem{Pos: p.pass.Model.TypePos(t), Path: t.Name.Name, Message: message, Cure: cure})
}

// problemOf reports something about a marker of a type. The message goes on after the marker's
// name.
func (p *planner) problemOf(mk *model.Marker, t *types.Type, message, cure string) {
	p.pass.Report.Add(diag.Problem{Pos: mk.Pos, Path: t.Name.Name, Message: "+" + mk.Name + message, Cure: cure})
}
