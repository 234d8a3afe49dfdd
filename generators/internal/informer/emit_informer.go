package informer

import (
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// informer prints the informer of a kind.
func (p printer) informer(k *clients.Kind) {
	f := p.file(p.place(k.Version), k.Version.PackageName(), k.ForFile()+".go")
	f.Reserve("client", "namespace", "options", "opts", "ctx", "informer", "identifier", "f", "a", "typed", "ok", "indexers", "resyncPeriod")
	p.types(f, k)
	p.constructors(f, k)
	p.newInformer(f, k)
	p.shared(f, k)
	p.conversions(f, k)
}

// types prints the interfaces and names of a kind.
func (p printer) types(f *emit.File, k *clients.Kind) {
	lister := emit.Ident{Path: p.set.Listers.Below(k.Version.Path()).Path, Name: k.Name + "Lister"}
	f.P("// ", k.Name, "Informer gives access to the shared informer of ", k.Resource, ", and to its lister.")
	f.P("type ", k.Name, "Informer interface {")
	f.P("Informer() ", cache("SharedIndexInformer"))
	f.P("Lister() ", lister)
	f.P("}")
	f.P()
	f.P("// Typed", k.Name, "Informer is a ", k.Name, "Informer whose handlers and indexes know the type.")
	f.P("type Typed", k.Name, "Informer interface {")
	f.P("Informer() ", cache("SharedIndexInformer"))
	f.P("TypedInformer() ", k.Name, "IndexInformer")
	f.P("Lister() ", lister)
	f.P("}")
	f.P()
	f.P("// ", k.Name, "IndexInformer is an informer whose handlers and indexes know the type.")
	f.P("type ", k.Name, "IndexInformer ", cache("TypedSharedIndexInformer"), "[*", k.Type, "]")
	f.P()
	for _, a := range []struct{ name, does, of string }{
		{k.Name + "HandlerFuncs", "are functions for events of", "TypedResourceEventHandlerFuncs"},
		{k.Name + "DetailedHandlerFuncs", "are functions for events, with more about them, of", "TypedResourceEventHandlerDetailedFuncs"},
		{k.Name + "FilteringHandler", "is a handler for events of some", "TypedFilteringResourceEventHandler"},
		{k.Name + "Indexers", "are indexes over", "TypedIndexers"},
		{"Deleted" + k.Name, "is what is known of one that is gone, of", "DeletedObject"},
	} {
		f.P("// ", a.name, " ", a.does, " ", k.Resource, ".")
		f.P("type ", a.name, " = ", cache(a.of), "[*", k.Type, "]")
		f.P()
	}
	f.P("type ", k.Private, "Informer struct {")
	f.P("factory ", p.internal("SharedInformerFactory"))
	f.P("tweakListOptions ", p.internal("TweakListOptionsFunc"))
	f.P(namespaced(k, "namespace string"))
	f.P("}")
	f.P()
}

// constructors prints the functions that make an informer that is not shared.
func (p printer) constructors(f *emit.File, k *clients.Kind) {
	for _, typed := range []bool{false, true} {
		prefix, indexers, given, result := "New", f.Ident(cache("").Path, "Indexers"), "indexers", f.Ident(cache("").Path, "SharedIndexInformer")
		if typed {
			prefix, indexers, result = "NewTyped", k.Name+"Indexers", k.Name+"IndexInformer"
			given = f.Ident(cache("").Path, "TypedIndexersToIndexers") + "(indexers)"
		}
		name := prefix + k.Name + "Informer"
		begin := "(client " + f.Ident(p.clientset().Path, "Interface") + namespaced(k, ", namespace string")
		call := "NewTyped" + k.Name + "InformerWithOptions(client" + namespaced(k, ", namespace") + ", "
		options := f.Ident(p.internal("").Path, "InformerOptions")
		f.P("// ", name, " makes an informer that nobody else shares. Those of a factory cost the server and the program less.")
		f.P("func ", name, begin, ", resyncPeriod ", duration, ", indexers ", indexers, ") ", result, " {")
		f.P("return ", call, options, "{ResyncPeriod: resyncPeriod, Indexers: ", given, "})")
		f.P("}")
		f.P()
		filtered := prefix + "Filtered" + k.Name + "Informer"
		f.P("// ", filtered, " is ", name, " for what a function selects.")
		f.P("func ", filtered, begin, ", resyncPeriod ", duration, ", indexers ", indexers, ", tweakListOptions ", p.internal("TweakListOptionsFunc"), ") ", result, " {")
		f.P("return ", call, options, "{ResyncPeriod: resyncPeriod, Indexers: ", given, ", TweakListOptions: tweakListOptions})")
		f.P("}")
		f.P()
	}
	f.P("// New", k.Name, "InformerWithOptions is New", k.Name, "Informer with options.")
	f.P("func New", k.Name, "InformerWithOptions(client ", p.clientset(), namespaced(k, ", namespace string"), ", options ", p.internal("InformerOptions"), ") ", cache("SharedIndexInformer"), " {")
	f.P("return NewTyped", k.Name, "InformerWithOptions(client", namespaced(k, ", namespace"), ", options)")
	f.P("}")
	f.P()
}

// newInformer prints the function that all others come to.
func (p printer) newInformer(f *emit.File, k *clients.Kind) {
	v := k.Version
	f.P("// NewTyped", k.Name, "InformerWithOptions is NewTyped", k.Name, "Informer with options.")
	f.P("func NewTyped", k.Name, "InformerWithOptions(client ", p.clientset(), namespaced(k, ", namespace string"), ", options ", p.internal("InformerOptions"), ") ", k.Name, "IndexInformer {")
	f.P("tweak := func(opts ", meta("ListOptions"), ") ", meta("ListOptions"), " {")
	f.P("if options.TweakListOptions != nil {\noptions.TweakListOptions(&opts)\n}")
	f.P("return opts")
	f.P("}")
	client := "client." + v.Prefix() + "()." + k.Plural + "(" + namespaced(k, "namespace") + ")"
	background := emit.Ident{Path: "context", Name: "Background"}
	watch := emit.Ident{Path: "k8s.io/apimachinery/pkg/watch", Name: "Interface"}
	f.P("calls := &", cache("ListWatch"), "{")
	f.P("ListFunc: func(opts ", meta("ListOptions"), ") (", object, ", error) {")
	f.P("return ", client, ".List(", background, "(), tweak(opts))")
	f.P("},")
	f.P("WatchFunc: func(opts ", meta("ListOptions"), ") (", watch, ", error) {")
	f.P("return ", client, ".Watch(", background, "(), tweak(opts))")
	f.P("},")
	f.P("ListWithContextFunc: func(ctx ", ctxType, ", opts ", meta("ListOptions"), ") (", object, ", error) {")
	f.P("return ", client, ".List(ctx, tweak(opts))")
	f.P("},")
	f.P("WatchFuncWithContext: func(ctx ", ctxType, ", opts ", meta("ListOptions"), ") (", watch, ", error) {")
	f.P("return ", client, ".Watch(ctx, tweak(opts))")
	f.P("},")
	f.P("}")
	f.P("informer := ", cache("NewSharedIndexInformerWithOptions"), "(", cache("ToListWatcherWithWatchListSemantics"), "(calls, client), &", k.Type, "{}, ", cache("SharedIndexInformerOptions"), "{")
	f.P("ResyncPeriod: options.ResyncPeriod,")
	f.P("Indexers: options.Indexers,")
	f.P("Identifier: options.InformerName.WithResource(", resource, "{Group: ", strconv.Quote(v.Group.Name), ", Version: ", strconv.Quote(v.Name), ", Resource: ", strconv.Quote(k.Resource), "}),")
	f.P("})")
	f.P("return ", cache("NewTypedSharedIndexInformer"), "[*", k.Type, "](informer)")
	f.P("}")
	f.P()
}

// shared prints the methods of an informer that a factory shares.
func (p printer) shared(f *emit.File, k *clients.Kind) {
	receiver := "func (f *" + k.Private + "Informer) "
	f.P(receiver, "defaultInformer(client ", p.clientset(), ", resyncPeriod ", duration, ") ", cache("SharedIndexInformer"), " {")
	f.P("return New", k.Name, "InformerWithOptions(client", namespaced(k, ", f.namespace"), ", ", p.internal("InformerOptions"), "{")
	f.P("ResyncPeriod: resyncPeriod,")
	f.P("Indexers: ", cache("Indexers"), "{", cache("NamespaceIndex"), ": ", cache("MetaNamespaceIndexFunc"), "},")
	f.P("InformerName: f.factory.InformerName(),")
	f.P("TweakListOptions: f.tweakListOptions,")
	f.P("})")
	f.P("}")
	f.P()
	f.P(receiver, "Informer() ", cache("SharedIndexInformer"), " { return f.TypedInformer() }")
	f.P()
	f.P(receiver, "TypedInformer() ", k.Name, "IndexInformer {")
	f.P("return ", cache("NewTypedSharedIndexInformer"), "[*", k.Type, "](f.factory.InformerFor(&", k.Type, "{}, f.defaultInformer))")
	f.P("}")
	f.P()
	path := p.set.Listers.Below(k.Version.Path()).Path
	f.P(receiver, "Lister() ", emit.Ident{Path: path, Name: k.Name + "Lister"}, " {")
	f.P("return ", emit.Ident{Path: path, Name: "New" + k.Name + "Lister"}, "(f.Informer().GetIndexer())")
	f.P("}")
	f.P()
}

// conversions prints the functions that give types to informers without.
func (p printer) conversions(f *emit.File, k *clients.Kind) {
	f.P("// ToTyped", k.Name, "Informer gives the type to an informer. What the informer follows has to be of type *", k.Name, ": methods")
	f.P("// that know the type panic otherwise.")
	f.P("func ToTyped", k.Name, "Informer(informer ", k.Name, "Informer) Typed", k.Name, "Informer {")
	f.P("if typed, ok := informer.(Typed", k.Name, "Informer); ok {\nreturn typed\n}")
	f.P("return &", k.Private, "TypedInformerAdapter{informer}")
	f.P("}")
	f.P()
	f.P("type ", k.Private, "TypedInformerAdapter struct {")
	f.P(k.Name, "Informer")
	f.P("}")
	f.P()
	f.P("func (a *", k.Private, "TypedInformerAdapter) TypedInformer() ", k.Name, "IndexInformer {")
	f.P("return ", cache("NewTypedSharedIndexInformer"), "[*", k.Type, "](a.Informer())")
	f.P("}")
	f.P()
	f.P("// To", k.Name, "IndexInformer is ToTyped", k.Name, "Informer for what comes from a factory without types.")
	f.P("func To", k.Name, "IndexInformer(informer ", cache("SharedIndexInformer"), ") ", k.Name, "IndexInformer {")
	f.P("if typed, ok := informer.(", k.Name, "IndexInformer); ok {\nreturn typed\n}")
	f.P("return ", cache("NewTypedSharedIndexInformer"), "[*", k.Type, "](informer)")
	f.P("}")
}
