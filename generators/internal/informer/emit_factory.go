package informer

import (
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// interfaces prints the package that the factory and the informers share.
func (p printer) interfaces() {
	at := p.set.Informers.Below("internalinterfaces")
	f := p.file(at, "internalinterfaces", "factory_interfaces.go")
	f.P("// NewInformerFunc makes an informer that lists and watches through a clientset.")
	f.P("type NewInformerFunc func(", p.clientset(), ", ", duration, ") ", cache("SharedIndexInformer"))
	f.P()
	f.P("// SharedInformerFactory is what informers need of their factory, which imports them.")
	f.P("type SharedInformerFactory interface {")
	f.P("Start(stopCh <-chan struct{})")
	f.P("InformerFor(obj ", object, ", newFunc NewInformerFunc) ", cache("SharedIndexInformer"))
	f.P("InformerName() *", cache("InformerName"))
	f.P("}")
	f.P()
	f.P("// TweakListOptionsFunc changes the options of each list and watch, to select what is followed.")
	f.P("type TweakListOptionsFunc func(*", meta("ListOptions"), ")")
	f.P()
	f.P("// InformerOptions are those of an informer. The zero value is one without resync and indexes.")
	f.P("type InformerOptions struct {")
	f.P("// ResyncPeriod is the time between two updates that say nothing new; 0 is none.")
	f.P("ResyncPeriod ", duration)
	f.P("// Indexers are the indexes of the cache.")
	f.P("Indexers ", cache("Indexers"))
	f.P("// InformerName is the name in metrics, by cache.NewInformerName; nil is no metrics.")
	f.P("InformerName *", cache("InformerName"))
	f.P("// TweakListOptions selects what is followed; nil is all.")
	f.P("TweakListOptions TweakListOptionsFunc")
	f.P("}")
}

// factory prints what makes and shares informers.
func (p printer) factory() {
	at := p.set.Informers
	f := p.file(at, at.Name(), "factory.go")
	f.Reserve("factory", "client", "namespace", "informers", "informer", "result", "ctx", "options", "option", "obj", "kind", "period", "wg", "lock")
	p.factoryInterface(f)
	p.factoryStruct(f)
	p.factoryOptions(f)
	p.newFactory(f)
	p.start(f)
	p.waitForSync(f)
	p.informerFor(f)
	for _, g := range p.groups {
		path := p.set.Informers.Below(g.PackageName).Path
		f.P("func (f *sharedInformerFactory) ", g.GoName, "() ", emit.Ident{Path: path, Name: "Interface"}, " {")
		f.P("return ", emit.Ident{Path: path, Name: "New"}, "(f, f.namespace, f.tweakListOptions)")
		f.P("}")
		f.P()
	}
}

func (p printer) factoryInterface(f *emit.File) {
	f.P(`// SharedInformerFactory makes informers, and shares them between all that ask for the same kind.
//
// Ask for informers first, then start them, then wait for them:
//
//	factory := NewSharedInformerFactory(client, 0)
//	defer factory.Shutdown()
//	informer := factory.Group().V1().Kinds()
//	informer.Informer().AddEventHandler(handler)
//	factory.StartWithContext(ctx)
//	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
//		return err
//	}
//
// Whoever asks for another one later calls StartWithContext again, which starts those that do not run yet.
type SharedInformerFactory interface {`)
	f.P(p.internal("SharedInformerFactory"))
	f.P()
	f.P("// Start is StartWithContext for code without contexts: the informers run until the channel is closed.")
	f.P("Start(stopCh <-chan struct{})")
	f.P()
	f.P("// StartWithContext starts the informers that were asked for and do not run yet, each in a goroutine of its own that")
	f.P("// ends with the context. It does not wait for them.")
	f.P("StartWithContext(ctx ", ctxType, ")")
	f.P()
	f.P("// Shutdown waits until the goroutines of all informers have ended, and starts none from then on. Their contexts or")
	f.P("// channels have to end, before or meanwhile. It may be called several times.")
	f.P("Shutdown()")
	f.P()
	f.P("// WaitForCacheSync is WaitForCacheSyncWithContext for code without contexts.")
	f.P("WaitForCacheSync(stopCh <-chan struct{}) map[", reflectType, "]bool")
	f.P()
	f.P("// WaitForCacheSyncWithContext waits until the caches of all started informers are filled, or the context ends.")
	f.P("WaitForCacheSyncWithContext(ctx ", ctxType, ") ", cache("SyncResult"))
	f.P()
	f.P("// ForResource is the informer for a resource that is known by name only.")
	f.P("ForResource(resource ", resource, ") (GenericInformer, error)")
	f.P()
	f.P("// InformerFor is the informer for the type of obj, made by newFunc where there is none yet.")
	f.P("InformerFor(obj ", object, ", newFunc ", p.internal("NewInformerFunc"), ") ", cache("SharedIndexInformer"))
	f.P()
	for _, g := range p.groups {
		f.P("// ", g.GoName, " has the informers of group ", strconv.Quote(g.Name), ".")
		f.P(g.GoName, "() ", emit.Ident{Path: p.set.Informers.Below(g.PackageName).Path, Name: "Interface"})
	}
	f.P("}")
	f.P()
}

var reflectType = emit.Ident{Path: "reflect", Name: "Type"}

func (p printer) factoryStruct(f *emit.File) {
	f.P("// SharedInformerOption changes a factory that is being made.")
	f.P("type SharedInformerOption func(*sharedInformerFactory) *sharedInformerFactory")
	f.P()
	f.P("type sharedInformerFactory struct {")
	f.P("client ", p.clientset())
	f.P("namespace string")
	f.P("tweakListOptions ", p.internal("TweakListOptionsFunc"))
	f.P("defaultResync ", duration)
	f.P("customResync map[", reflectType, "]", duration)
	f.P("transform ", cache("TransformFunc"))
	f.P("informerName *", cache("InformerName"))
	f.P()
	f.P("lock ", emit.Ident{Path: "sync", Name: "Mutex"}, " // guards the rest")
	f.P("informers map[", reflectType, "]", cache("SharedIndexInformer"))
	f.P("started map[", reflectType, "]bool")
	f.P("shuttingDown bool")
	f.P()
	f.P("wg ", emit.Ident{Path: "sync", Name: "WaitGroup"}, " // counts the goroutines of informers")
	f.P("}")
	f.P()
}

func (p printer) factoryOptions(f *emit.File) {
	option := func(name, does, param string, kind emit.Ident, star, assign string) {
		f.P("// ", name, " ", does, ".")
		f.P("func ", name, "(", param, " ", star, kind, ") SharedInformerOption {")
		f.P("return func(factory *sharedInformerFactory) *sharedInformerFactory {")
		f.P(assign)
		f.P("return factory")
		f.P("}")
		f.P("}")
		f.P()
	}
	f.P("// WithCustomResyncConfig gives the kinds of some objects another time between resyncs.")
	f.P("func WithCustomResyncConfig(resyncConfig map[", meta("Object"), "]", duration, ") SharedInformerOption {")
	f.P("return func(factory *sharedInformerFactory) *sharedInformerFactory {")
	f.P("for obj, period := range resyncConfig {")
	f.P("factory.customResync[", emit.Ident{Path: "reflect", Name: "TypeOf"}, "(obj)] = period")
	f.P("}")
	f.P("return factory")
	f.P("}")
	f.P("}")
	f.P()
	option("WithTweakListOptions", "selects what all informers follow", "tweakListOptions", p.internal("TweakListOptionsFunc"), "", "factory.tweakListOptions = tweakListOptions")
	option("WithNamespace", "lets all informers follow one namespace only", "namespace", emit.Ident{Name: "string"}, "", "factory.namespace = namespace")
	option("WithTransform", "changes all objects before they get into the caches", "transform", cache("TransformFunc"), "", "factory.transform = transform")
	option("WithInformerName", "names the informers in metrics, by cache.NewInformerName", "informerName", cache("InformerName"), "*", "factory.informerName = informerName")
}

func (p printer) newFactory(f *emit.File) {
	f.P("// NewSharedInformerFactory makes a factory for all namespaces. defaultResync is the time between two updates that")
	f.P("// say nothing new; 0 is none.")
	f.P("func NewSharedInformerFactory(client ", p.clientset(), ", defaultResync ", duration, ") SharedInformerFactory {")
	f.P("return NewSharedInformerFactoryWithOptions(client, defaultResync)")
	f.P("}")
	f.P()
	f.P("// NewFilteredSharedInformerFactory makes a factory for one namespace, and for what a function selects.")
	f.P("//")
	f.P("// Deprecated: use NewSharedInformerFactoryWithOptions.")
	f.P("func NewFilteredSharedInformerFactory(client ", p.clientset(), ", defaultResync ", duration, ", namespace string, tweakListOptions ", p.internal("TweakListOptionsFunc"), ") SharedInformerFactory {")
	f.P("return NewSharedInformerFactoryWithOptions(client, defaultResync, WithNamespace(namespace), WithTweakListOptions(tweakListOptions))")
	f.P("}")
	f.P()
	f.P("// NewSharedInformerFactoryWithOptions is NewSharedInformerFactory with options.")
	f.P("func NewSharedInformerFactoryWithOptions(client ", p.clientset(), ", defaultResync ", duration, ", options ...SharedInformerOption) SharedInformerFactory {")
	f.P("factory := &sharedInformerFactory{")
	f.P("client: client,")
	f.P("namespace: ", meta("NamespaceAll"), ",")
	f.P("defaultResync: defaultResync,")
	f.P("customResync: map[", reflectType, "]", duration, "{},")
	f.P("informers: map[", reflectType, "]", cache("SharedIndexInformer"), "{},")
	f.P("started: map[", reflectType, "]bool{},")
	f.P("}")
	f.P("for _, option := range options {")
	f.P("factory = option(factory)")
	f.P("}")
	f.P("return factory")
	f.P("}")
	f.P()
	f.P("func (f *sharedInformerFactory) InformerName() *", cache("InformerName"), " { return f.informerName }")
	f.P()
}

var contextForChannel = emit.Ident{Path: "k8s.io/apimachinery/pkg/util/wait", Name: "ContextForChannel"}

func (p printer) start(f *emit.File) {
	f.P("func (f *sharedInformerFactory) Start(stopCh <-chan struct{}) {")
	f.P("f.StartWithContext(", contextForChannel, "(stopCh))")
	f.P("}")
	f.P()
	f.P("func (f *sharedInformerFactory) StartWithContext(ctx ", ctxType, ") {")
	f.P("f.lock.Lock()")
	f.P("defer f.lock.Unlock()")
	f.P("if f.shuttingDown {\nreturn\n}")
	f.P("for kind, informer := range f.informers {")
	f.P("if f.started[kind] {\ncontinue\n}")
	f.P("f.started[kind] = true")
	f.P("f.wg.Go(func() { informer.RunWithContext(ctx) })")
	f.P("}")
	f.P("}")
	f.P()
	f.P("func (f *sharedInformerFactory) Shutdown() {")
	f.P("f.lock.Lock()")
	f.P("f.shuttingDown = true")
	f.P("f.lock.Unlock()")
	f.P("f.wg.Wait()")
	f.P("f.informerName.Release()")
	f.P("}")
	f.P()
}

func (p printer) waitForSync(f *emit.File) {
	f.P("func (f *sharedInformerFactory) WaitForCacheSync(stopCh <-chan struct{}) map[", reflectType, "]bool {")
	f.P("return f.WaitForCacheSyncWithContext(", contextForChannel, "(stopCh)).Synced")
	f.P("}")
	f.P()
	f.P("func (f *sharedInformerFactory) WaitForCacheSyncWithContext(ctx ", ctxType, ") ", cache("SyncResult"), " {")
	f.P("informers := f.startedInformers()")
	f.P("var filled []", cache("DoneChecker"))
	f.P("for _, informer := range informers {")
	f.P("filled = append(filled, informer.HasSyncedChecker())")
	f.P("}")
	f.P(cache("WaitFor"), `(ctx, "", filled...) // without a name it logs nothing`)
	f.P("result := ", cache("SyncResult"), "{Synced: map[", reflectType, "]bool{}}")
	f.P("for kind, informer := range informers {")
	f.P("result.Synced[kind] = informer.HasSynced()")
	f.P("if !result.Synced[kind] {")
	f.P("result.Err = ", emit.Ident{Path: "context", Name: "Cause"}, "(ctx)")
	f.P("}")
	f.P("}")
	f.P("return result")
	f.P("}")
	f.P()
	f.P("// startedInformers is a copy: whoever waits for them must not hold the lock.")
	f.P("func (f *sharedInformerFactory) startedInformers() map[", reflectType, "]", cache("SharedIndexInformer"), " {")
	f.P("f.lock.Lock()")
	f.P("defer f.lock.Unlock()")
	f.P("started := map[", reflectType, "]", cache("SharedIndexInformer"), "{}")
	f.P("for kind, informer := range f.informers {")
	f.P("if f.started[kind] {\nstarted[kind] = informer\n}")
	f.P("}")
	f.P("return started")
	f.P("}")
	f.P()
}

func (p printer) informerFor(f *emit.File) {
	f.P("func (f *sharedInformerFactory) InformerFor(obj ", object, ", newFunc ", p.internal("NewInformerFunc"), ") ", cache("SharedIndexInformer"), " {")
	f.P("f.lock.Lock()")
	f.P("defer f.lock.Unlock()")
	f.P("kind := ", emit.Ident{Path: "reflect", Name: "TypeOf"}, "(obj)")
	f.P("if informer, ok := f.informers[kind]; ok {\nreturn informer\n}")
	f.P("period, ok := f.customResync[kind]")
	f.P("if !ok {\nperiod = f.defaultResync\n}")
	f.P("informer := newFunc(f.client, period)")
	f.P("if f.transform != nil {")
	f.P("_ = informer.SetTransform(f.transform) // fails for an informer that runs, which a new one does not")
	f.P("}")
	f.P("f.informers[kind] = informer")
	f.P("return informer")
	f.P("}")
	f.P()
}
