package informer

import (
	"slices"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

const generator = "informer-gen"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return clients.Plugin("informer", generator, "caches that follow kinds, and a factory that shares them (client/informers/externalversions)",
		clients.Request(), generate)
}

func generate(pass *generators.Pass, set *clients.Set) {
	p := printer{pass: pass, set: set, groups: informed(set)}
	if set.Informers.None() || len(p.groups) == 0 {
		return
	}
	p.factory()
	p.generic()
	p.interfaces()
	for _, g := range p.groups {
		p.group(g)
		for _, v := range g.versions {
			p.version(v)
			for _, k := range v.kinds {
				p.informer(k)
			}
		}
	}
}

// printer prints the informers of a set.
type printer struct {
	pass   *generators.Pass
	set    *clients.Set
	groups []group
}

// group is one with kinds that there are informers for.
type group struct {
	*clients.Group
	versions []version
}

// version is one with kinds that there are informers for.
type version struct {
	*clients.Version
	kinds []*clients.Kind
}

// informed are the groups of a set as far as there are informers.
func informed(set *clients.Set) []group {
	var out []group
	for _, g := range set.Groups {
		here := group{Group: g}
		for _, v := range g.Versions {
			kinds := slices.DeleteFunc(slices.Clone(v.Kinds), func(k *clients.Kind) bool { return !k.Informer() })
			if len(kinds) > 0 {
				here.versions = append(here.versions, version{v, kinds})
			}
		}
		if len(here.versions) > 0 {
			out = append(out, here)
		}
	}
	return out
}

// file starts a file in a package.
func (p printer) file(at clients.Place, name, file string) *emit.File {
	return p.pass.FileIn(p.set.Package, at.Dir, at.Path, name, file, generator)
}

// The packages of Kubernetes that printed code names.
const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

func meta(name string) emit.Ident { return emit.Ident{Path: metaV1, Name: name} }
func cache(name string) emit.Ident {
	return emit.Ident{Path: "k8s.io/client-go/tools/cache", Name: name}
}

var (
	object   = emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime", Name: "Object"}
	resource = emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime/schema", Name: "GroupVersionResource"}
	duration = emit.Ident{Path: "time", Name: "Duration"}
	ctxType  = emit.Ident{Path: "context", Name: "Context"}
)

// internal is something of the package that the factory and the informers share.
func (p printer) internal(name string) emit.Ident {
	return emit.Ident{Path: p.set.Informers.Below("internalinterfaces").Path, Name: name}
}

// clientset is the interface of the clientset.
func (p printer) clientset() emit.Ident {
	return emit.Ident{Path: p.set.Clientset.Path, Name: "Interface"}
}
