package client

import (
	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// fakeClientset prints the clientset for tests, over a tracker of objects in memory.
func (p printer) fakeClientset() {
	at := p.set.Clientset.Below("fake")
	p.file(at, "fake", "doc.go").Document("Package fake has a clientset for tests, which keeps objects in memory.")
	f := p.file(at, "fake", "clientset_generated.go")
	f.Reserve("scheme", "codecs", "tracker", "obj", "objects", "set", "action", "opts", "watch")
	p.newSimple(f)
	if !p.set.Apply.None() {
		p.newManaged(f)
	}
	p.track(f)
	f.P("// Clientset is a clientset without a server. Structs may embed it and replace a method.")
	f.P("type Clientset struct {")
	f.P(testing("Fake"))
	f.P("discovery *", emit.Ident{Path: clientGo + "discovery/fake", Name: "FakeDiscovery"})
	f.P("tracker ", testing("ObjectTracker"))
	f.P("}")
	f.P()
	f.P("// Discovery is a client that tells of the resources in its Fake.")
	f.P("func (c *Clientset) Discovery() ", discovery("DiscoveryInterfaces"), " { return c.discovery }")
	f.P()
	f.P("// Tracker has the objects.")
	f.P("func (c *Clientset) Tracker() ", testing("ObjectTracker"), " { return c.tracker }")
	f.P()
	f.P("// IsWatchListSemanticsUnSupported tells reflectors that a watch here can't begin with a list.")
	f.P("func (c *Clientset) IsWatchListSemanticsUnSupported() bool { return true }")
	f.P()
	f.P("var (")
	f.P("_ ", emit.Ident{Path: p.set.Clientset.Path, Name: "Interface"}, " = &Clientset{}")
	f.P("_ ", testing("FakeClient"), " = &Clientset{}")
	f.P(")")
	p.versions(func(v *clients.Version) {
		f.P()
		f.P("// ", v.Prefix(), " is the client of ", v.APIVersion(), " for tests.")
		f.P("func (c *Clientset) ", v.Prefix(), "() ", p.typedName(v, v.Prefix()+"Interface"), " {")
		f.P("return &", emit.Ident{Path: p.typed(v).Below("fake").Path, Name: "Fake" + v.Prefix()}, "{Fake: &c.Fake}")
		f.P("}")
	})
}

// newSimple prints the function that makes a clientset which knows nothing of owners of fields.
func (p printer) newSimple(f *emit.File) {
	f.P("// NewSimpleClientset makes a clientset that has these objects. It stores what it is sent: nothing is defaulted")
	f.P("// or validated, and nobody owns fields.")
	f.P("func NewSimpleClientset(objects ...", runtime("Object"), ") *Clientset {")
	f.P("return track(", testing("NewObjectTracker"), "(scheme, codecs.UniversalDecoder()), objects)")
	f.P("}")
	f.P()
}

// newManaged prints the function that makes a clientset which knows who owns fields.
func (p printer) newManaged(f *emit.File) {
	f.P("// NewClientset makes a clientset that has these objects, and knows who owns which field, so that objects can be")
	f.P("// applied. Nothing is defaulted or validated.")
	f.P("func NewClientset(objects ...", runtime("Object"), ") *Clientset {")
	f.P("return track(", testing("NewFieldManagedObjectTracker"), "(scheme, codecs.UniversalDecoder(), ", emit.Ident{Path: p.set.Apply.Path, Name: "NewTypeConverter"}, "(scheme)), objects)")
	f.P("}")
	f.P()
}

// track prints the function that makes a clientset over a tracker.
func (p printer) track(f *emit.File) {
	f.P("// track makes a clientset that answers from a tracker.")
	f.P("func track(tracker ", testing("ObjectTracker"), ", objects []", runtime("Object"), ") *Clientset {")
	f.P("for _, obj := range objects {")
	f.P("if err := tracker.Add(obj); err != nil {\npanic(err)\n}")
	f.P("}")
	f.P("set := &Clientset{tracker: tracker}")
	f.P("set.discovery = &", emit.Ident{Path: clientGo + "discovery/fake", Name: "FakeDiscovery"}, "{Fake: &set.Fake}")
	f.P("set.AddReactor(\"*\", \"*\", ", testing("ObjectReaction"), "(tracker))")
	f.P("set.AddWatchReactor(\"*\", func(action ", testing("Action"), ") (bool, ", emit.Ident{Path: "k8s.io/apimachinery/pkg/watch", Name: "Interface"}, ", error) {")
	f.P("var opts ", meta("ListOptions"))
	f.P("if watch, ok := action.(", testing("WatchActionImpl"), "); ok {")
	f.P("opts = watch.ListOptions")
	f.P("}")
	f.P("watch, err := tracker.Watch(action.GetResource(), action.GetNamespace(), opts)")
	f.P("return err == nil, watch, err")
	f.P("})")
	f.P("return set")
	f.P("}")
	f.P()
}

// fakeGroup prints the client of a version for tests.
func (p printer) fakeGroup(v *clients.Version) {
	f := p.file(p.typed(v).Below("fake"), "fake", "fake_"+v.Group.PackageName+"_client.go")
	name := "Fake" + v.Prefix()
	f.P("// ", name, " is a ", v.Prefix(), "Interface without a server.")
	f.P("type ", name, " struct {")
	f.P("*", testing("Fake"))
	f.P("}")
	f.P()
	for _, k := range v.Kinds {
		f.P("// ", k.Plural, " is the client of ", k.Resource, ".")
		f.P("func (c *", name, ") ", k.Plural, "(", namespaceParam(k, ""), ") ", p.typedName(v, k.Name+"Interface"), " {")
		f.P("return newFake", k.Plural, "(c", namespaceArg(k), ")")
		f.P("}")
		f.P()
	}
	f.P("// RESTClient is a nil client: there is no server.")
	f.P("func (c *", name, ") RESTClient() ", rest("Interface"), " {")
	f.P("var none *", rest("RESTClient"))
	f.P("return none")
	f.P("}")
}
