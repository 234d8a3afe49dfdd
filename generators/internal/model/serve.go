package model

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// TagServer marks the package that a server is made in. It serves the API packages in the folders
// below.
const TagServer = "typeplane:apiserver"

// Serves tells whether a server of the run serves the kinds of a package. Such a package gets all
// that serving needs without a tag for each: deep copies, defaults, JSON, validation and schemas. A
// tag may switch one of them off.
func (m *Model) Serves(pkg *Package) bool {
	_, _, ok := m.GroupVersion(pkg)
	return ok && m.BelowServer(pkg.Path) && hasList(pkg)
}

// hasList tells whether a package declares a list of some kind: without one it has only what
// subresources take or give.
func hasList(pkg *Package) bool {
	isList := func(t *types.Type) bool { return Embeds(t, "TypeMeta") && Embeds(t, "ListMeta") }
	for _, t := range pkg.Types.Types {
		if isList(t) {
			return true
		}
	}
	return slices.ContainsFunc(pkg.Aliases, func(a Alias) bool { return isList(a.Target) })
}

// IsServedObject tells whether a type of a package that is served is an object: a kind, a list of
// kinds, or what subresources take or give. Such a type gets a DeepCopyObject without a tag.
func (m *Model) IsServedObject(pkg *Package, t *types.Type) bool {
	return Embeds(t, "TypeMeta") && (Embeds(t, "ObjectMeta") || Embeds(t, "ListMeta")) && m.Serves(pkg)
}

// BelowServer tells whether a package lies in a folder below that of a server of the run.
func (m *Model) BelowServer(path string) bool {
	return slices.ContainsFunc(m.serverPackages(), func(server string) bool { return strings.HasPrefix(path, server+"/") })
}

// serverPackages are the import paths of the packages that servers are made in.
func (m *Model) serverPackages() []string {
	if m.servers == nil {
		m.servers = []string{}
		for _, pkg := range m.All() {
			if m.OfPackage(pkg).Has(TagServer) {
				m.servers = append(m.servers, pkg.Path)
			}
		}
	}
	return m.servers
}
