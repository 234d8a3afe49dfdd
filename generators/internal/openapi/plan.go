package openapi

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// file is what one zz_generated.openapi.go holds.
type file struct {
	pkg *model.Package
	// models are the schemas by name; every $ref in them names one of them.
	models map[string]*schema
}

// plan decides what is published: of each package that asks for it, the kinds and everything that
// they are made of.
func plan(pass *generators.Pass) []file {
	var files []file
	for _, m := range collect(pass) {
		if len(m.done) > 0 {
			files = append(files, file{pkg: m.pkg, models: m.done})
		}
	}
	return files
}

// collect returns the models of each package.
func collect(pass *generators.Pass) []*models {
	p := newPlanner(pass)
	out := make([]*models, 0, len(pass.Packages))
	for _, pkg := range pass.Packages {
		out = append(out, p.modelsOf(pkg))
	}
	return out
}

// newPlanner returns a planner that has read the kinds of all packages. Each package that uses the
// type of a kind publishes the kind's group, version and name with it, because the documents of a
// server must not differ about one model.
func newPlanner(pass *generators.Pass) *planner {
	p := &planner{from: pass.Model, report: pass.Report, names: map[string]packageNames{}, tried: map[string]bool{}, kinds: map[*types.Type][]groupVersionKind{}}
	for _, pkg := range pass.Packages {
		names := p.namesOf(pkg.Path)
		if !names.isGroup {
			continue
		}
		for _, r := range roots(p.from, pkg) {
			if model.Embeds(r.Type, "TypeMeta") {
				p.addKind(r.Type, groupVersionKind{Group: names.group, Kind: r.Name.Name, Version: names.version})
			}
		}
	}
	return p
}

// addKind adds a group, version and kind that objects of a type have. A type that is served in
// several groups has several.
func (p *planner) addKind(t *types.Type, gvk groupVersionKind) {
	if slices.Contains(p.kinds[t], gvk) {
		return
	}
	p.kinds[t] = append(p.kinds[t], gvk)
	slices.SortFunc(p.kinds[t], func(a, b groupVersionKind) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Version, b.Version), strings.Compare(a.Kind, b.Kind))
	})
}

// modelsOf returns the models of a package.
func (p *planner) modelsOf(pkg *model.Package) *models {
	m := newModels(p, pkg)
	m.kubernetes = p.from.AllOfKubernetes(pkg)
	m.resources = p.from.Serves(pkg) && !m.kubernetes
	for _, r := range roots(p.from, pkg) {
		m.root(r)
	}
	m.work()
	return m
}

// work makes the models that wait.
func (m *models) work() {
	for len(m.queue) > 0 {
		next := m.queue[0]
		m.queue = m.queue[1:]
		own := m.resources
		m.resources = own && !ofMetadata(next)
		m.done[m.modelName(next)] = m.modelSchema(next)
		m.resources = own
	}
}

// ofMetadata says whether a type is a part of every object's metadata, or of every list's. It is
// published as by a kube-apiserver, whatever the kinds are: one server has one schema of it.
func ofMetadata(t *types.Type) bool {
	return t.Name.Package == metaV1 && slices.Contains([]string{"ObjectMeta", "ListMeta", "OwnerReference", "ManagedFieldsEntry", "ShardInfo"}, t.Name.Name)
}

// Publishes says whether the package has, or will have, the constant OpenAPISchemas.
func Publishes(m *model.Model, pkg *model.Package) bool { return len(roots(m, pkg)) > 0 }

// roots are those of pkg, in the order of their names. In a package that is served, or says
// +k8s:openapi-gen=true, they are its kinds and lists. Everywhere they are the types that say so
// themselves.
func roots(from *model.Model, pkg *model.Package) []root {
	said := from.OfPackage(pkg)
	whole := asks(said, "true") || from.Serves(pkg) && !asks(said, "false")
	var out []root
	for _, t := range pkg.Types.Types {
		if t.Kind != types.Struct || !token.IsExported(t.Name.Name) {
			continue
		}
		markers := from.OfType(t)
		switch {
		case asks(markers, "false"):
		case asks(markers, "true"), whole && model.Embeds(t, "TypeMeta"):
			out = append(out, root{t, markers})
		}
	}
	for _, a := range from.Aliases(pkg) {
		markers, _ := from.OfKind(a) // the server says what can't be read
		if asks(markers, "true") || whole && !asks(markers, "false") {
			out = append(out, root{a.Target, markers})
		}
	}
	slices.SortFunc(out, func(a, b root) int { return strings.Compare(a.Name.Name, b.Name.Name) })
	return out
}

// root publishes a type, and what is sent to its subresources.
func (m *models) root(r root) {
	m.model(r.Type)
	// What is wrong with the marker is for the generator of servers to say.
	if markers, _ := r.markers.Arguments(tagScale); len(markers) == 0 {
		return
	}
	scale := m.scaleType()
	if scale == nil {
		m.problem(m.from.PackagePos(m.pkg), r.Name.Name, "+"+tagScale+": package "+autoscalingV1+", whose Scale is sent there, can't be loaded",
			"go get k8s.io/api")
		return
	}
	m.addKind(scale, groupVersionKind{Group: "autoscaling", Kind: "Scale", Version: "v1"})
	m.model(scale)
}

const autoscalingV1 = "k8s.io/api/autoscaling/v1"

// scaleType is nil if the module has no k8s.io/api.
func (m *models) scaleType() *types.Type {
	pkg := m.from.Package(autoscalingV1)
	if pkg == nil {
		return nil
	}
	return pkg.Types.Types["Scale"]
}

// model makes sure that the struct t is published and returns its name.
func (m *models) model(t *types.Type) string {
	name := m.modelName(t)
	if other, taken := m.owner[name]; taken {
		if other != t {
			m.problem(m.from.TypePos(t), t.Name.Name,
				fmt.Sprintf("%s and %s would both be published as %s", other, t, name),
				"give one of the packages a name of its own with +k8s:openapi-model-package=")
		}
		return name
	}
	m.owner[name] = t
	m.done[name] = nil
	m.queue = append(m.queue, t)
	return name
}

func (m *models) modelName(t *types.Type) string {
	names := m.namesOf(t.Name.Package)
	if own := value(m.from.OfType(t), tagModelPackage); own != "" {
		names.modelPackage = own
	}
	return modelName(names, t.Name.Name)
}

// namesOf reads a package's tags. Those of other modules are read for what they publish, not for
// their groups.
func (p *planner) namesOf(pkgPath string) packageNames {
	if names, ok := p.names[pkgPath]; ok {
		return names
	}
	p.readComments(pkgPath)
	names := packageNames{path: pkgPath}
	if pkg := p.from.Package(pkgPath); pkg != nil {
		names.modelPackage = value(p.from.OfPackage(pkg), tagModelPackage)
		if pkg.Main && !p.byPath {
			names.group, names.version, names.isGroup = p.from.GroupVersion(pkg)
		}
	}
	p.names[pkgPath] = names
	return names
}

// readComments makes sure that the types of a package have their comments; those of other modules
// are read from the module's source when they are first asked for.
func (p *planner) readComments(pkgPath string) {
	if pkgPath == "" || p.tried[pkgPath] {
		return
	}
	p.tried[pkgPath] = true
	if err := p.from.DependencyComments(pkgPath); err != nil {
		p.problem(token.Position{}, pkgPath, "its doc comments can't be read: "+err.Error(), "")
	}
}
