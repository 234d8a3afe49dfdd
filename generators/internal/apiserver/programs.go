package apiserver

import (
	"go/token"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Program is a server as other plug-ins see it.
type Program struct {
	Package *model.Package
	// Name is what the server is called: its folder.
	Name string
	// Versions are those that it serves, by group, the best first.
	Versions []schema.GroupVersion
	// Kinds are all kinds, by group and name.
	Kinds []Kind
}

// Kind is a kind as other plug-ins see it.
type Kind struct {
	schema.GroupKind
	Plural, Singular       string
	ShortNames, Categories []string
	Namespaced             bool
	Versions               []KindVersion // the best first
}

// KindVersion is a kind in a version.
type KindVersion struct {
	Version string
	// Package declares the kind, perhaps as an alias of Type.
	Package *model.Package
	Type    *types.Type
	Markers model.Markers
	Pos     token.Position
	// Served and Stored tell that clients see the version, and that objects lie in it.
	Served, Stored bool
}

// Programs are the servers of a run. What is wrong with them is reported by this plug-in when it
// prints them, not here.
func Programs(pass *generators.Pass) []Program {
	var out []Program
	for _, s := range plan(&generators.Pass{Model: pass.Model, Packages: pass.Packages, Report: &diag.Report{}}) {
		p := Program{Package: s.pkg, Name: s.name}
		for _, h := range s.hubs {
			p.Kinds = append(p.Kinds, h.shown())
			for _, v := range h.versions {
				if v.served && !slices.Contains(p.Versions, v.gv) {
					p.Versions = append(p.Versions, v.gv)
				}
			}
		}
		slices.SortFunc(p.Versions, compareGroupVersions)
		out = append(out, p)
	}
	return out
}

// shown is what other plug-ins see of a kind.
func (h *hub) shown() Kind {
	k := Kind{
		GroupKind: h.groupKind, Plural: h.names.plural, Singular: h.names.singular,
		ShortNames: h.names.shortNames, Categories: h.names.categories, Namespaced: h.names.namespaced,
	}
	for _, v := range h.versions {
		k.Versions = append(k.Versions, KindVersion{
			Version: v.gv.Version, Package: v.pkg, Type: v.goType, Markers: v.markers, Pos: v.pos, Served: v.served, Stored: v == h.storage,
		})
	}
	return k
}
