package informer

import (
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// generic prints the informers for resources that are known by name only.
func (p printer) generic() {
	at := p.set.Informers
	f := p.file(at, at.Name(), "generic.go")
	f.Reserve("resource", "informer", "f")
	groupResource := emit.Ident{Path: resource.Path, Name: "GroupResource"}
	f.P("// GenericInformer is the informer of a resource whose type is not known.")
	f.P("type GenericInformer interface {")
	f.P("Informer() ", cache("SharedIndexInformer"))
	f.P("Lister() ", cache("GenericLister"))
	f.P("}")
	f.P()
	f.P("type genericInformer struct {")
	f.P("informer ", cache("SharedIndexInformer"))
	f.P("resource ", groupResource)
	f.P("}")
	f.P()
	f.P("// Informer is the informer that is shared with those who know the type.")
	f.P("func (f *genericInformer) Informer() ", cache("SharedIndexInformer"), " { return f.informer }")
	f.P()
	f.P("// Lister reads from the informer's cache.")
	f.P("func (f *genericInformer) Lister() ", cache("GenericLister"), " {")
	f.P("return ", cache("NewGenericLister"), "(f.informer.GetIndexer(), f.resource)")
	f.P("}")
	f.P()
	f.P("func (f *sharedInformerFactory) ForResource(resource ", resource, ") (GenericInformer, error) {")
	f.P("var informer ", cache("SharedIndexInformer"))
	f.P("switch resource {")
	for _, g := range p.groups {
		for _, v := range g.versions {
			for _, k := range v.kinds {
				f.P("case ", emit.Ident{Path: v.Package.Path, Name: "SchemeGroupVersion"}, ".WithResource(", strconv.Quote(k.Resource), "):")
				f.P("informer = f.", g.GoName, "().", v.GoName, "().", k.Plural, "().Informer()")
			}
		}
	}
	f.P("default:")
	f.P("return nil, ", emit.Ident{Path: "fmt", Name: "Errorf"}, "(\"there is no informer for %v\", resource)")
	f.P("}")
	f.P("return &genericInformer{informer: informer, resource: resource.GroupResource()}, nil")
	f.P("}")
}

// group prints what gives access to the versions of a group.
func (p printer) group(g group) {
	at := p.set.Informers.Below(g.PackageName)
	f := p.file(at, at.Name(), "interface.go")
	f.Reserve("factory", "namespace", "tweakListOptions", "f", "g")
	f.P("// Interface gives access to the informers of each version of the group.")
	f.P("type Interface interface {")
	for _, v := range g.versions {
		f.P("// ", v.GoName, " has those of ", v.APIVersion(), ".")
		f.P(v.GoName, "() ", emit.Ident{Path: p.place(v.Version).Path, Name: "Interface"})
	}
	f.P("}")
	f.P()
	p.access(f, "group")
	for _, v := range g.versions {
		f.P("func (g *group) ", v.GoName, "() ", emit.Ident{Path: p.place(v.Version).Path, Name: "Interface"}, " {")
		f.P("return ", emit.Ident{Path: p.place(v.Version).Path, Name: "New"}, "(g.factory, g.namespace, g.tweakListOptions)")
		f.P("}")
		f.P()
	}
}

// version prints what gives access to the informers of a version.
func (p printer) version(v version) {
	f := p.file(p.place(v.Version), v.PackageName(), "interface.go")
	f.Reserve("factory", "namespace", "tweakListOptions", "f", "v")
	f.P("// Interface gives access to the informers of ", v.APIVersion(), ".")
	f.P("type Interface interface {")
	for _, k := range v.kinds {
		f.P("// ", k.Plural, " follows ", k.Resource, ".")
		f.P(k.Plural, "() Typed", k.Name, "Informer")
	}
	f.P("}")
	f.P()
	p.access(f, "version")
	for _, k := range v.kinds {
		f.P("func (v *version) ", k.Plural, "() Typed", k.Name, "Informer {")
		f.P("return &", k.Private, "Informer{factory: v.factory", namespaced(k, ", namespace: v.namespace"), ", tweakListOptions: v.tweakListOptions}")
		f.P("}")
		f.P()
	}
}

// access prints the type behind an Interface, and how one is made.
func (p printer) access(f *emit.File, name string) {
	f.P("type ", name, " struct {")
	f.P("factory ", p.internal("SharedInformerFactory"))
	f.P("namespace string")
	f.P("tweakListOptions ", p.internal("TweakListOptionsFunc"))
	f.P("}")
	f.P()
	f.P("// New makes an Interface to the informers of a factory.")
	f.P("func New(f ", p.internal("SharedInformerFactory"), ", namespace string, tweakListOptions ", p.internal("TweakListOptionsFunc"), ") Interface {")
	f.P("return &", name, "{factory: f, namespace: namespace, tweakListOptions: tweakListOptions}")
	f.P("}")
	f.P()
}

// place is the folder of the informers of a version.
func (p printer) place(v *clients.Version) clients.Place { return p.set.Informers.Below(v.Path()) }

// namespaced is a piece of code that is only for kinds that lie in namespaces.
func namespaced(k *clients.Kind, code string) string {
	if !k.Namespaced {
		return ""
	}
	return code
}
