package client

import (
	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// scheme prints the scheme of all kinds, which clients decode with.
func (p printer) scheme() {
	at := p.set.Clientset.Below("scheme")
	p.file(at, "scheme", "doc.go").Document("Package scheme knows all kinds that the clientset has clients for.")
	f := p.file(at, "scheme", "register.go")
	f.P("// Scheme knows all kinds of the clientset.")
	f.P("var Scheme = ", runtime("NewScheme"), "()")
	f.P()
	f.P("// Codecs encode and decode the kinds of Scheme.")
	f.P("var Codecs = ", emit.Ident{Path: runtimePkg + "/serializer", Name: "NewCodecFactory"}, "(Scheme)")
	f.P()
	f.P("// ParameterCodec turns options into the parameters of a request.")
	f.P("var ParameterCodec = ", runtime("NewParameterCodec"), "(Scheme)")
	f.P()
	p.registration(f, "Scheme", at.Has("register_custom.go"))
}

// fakeScheme prints the scheme of the clientset for tests, which is its own.
func (p printer) fakeScheme() {
	f := p.file(p.set.Clientset.Below("fake"), "fake", "register.go")
	f.Reserve("scheme", "codecs")
	f.P("var scheme = ", runtime("NewScheme"), "()")
	f.P("var codecs = ", emit.Ident{Path: runtimePkg + "/serializer", Name: "NewCodecFactory"}, "(scheme)")
	f.P()
	p.registration(f, "scheme", false)
}

// registration prints what puts all kinds into a scheme. custom tells that there is a file by hand
// with ExtraAddToScheme.
func (p printer) registration(f *emit.File, scheme string, custom bool) {
	f.P("var localSchemeBuilder = ", runtime("SchemeBuilder"), "{")
	p.versions(func(v *clients.Version) { f.P(emit.Ident{Path: v.Package.Path, Name: "AddToScheme"}, ",") })
	if custom {
		f.P("ExtraAddToScheme,")
	}
	f.P("}")
	f.P()
	f.P("// AddToScheme adds all kinds of the clientset to a scheme, for programs with several clientsets. A scheme that")
	f.P("// has the kinds of another clientset, too, decodes those in a RawExtension.")
	f.P("var AddToScheme = localSchemeBuilder.AddToScheme")
	f.P()
	f.P("func init() {")
	f.P(meta("AddToGroupVersion"), "(", scheme, ", ", schema("GroupVersion"), "{Version: \"v1\"})")
	f.P(emit.Ident{Path: "k8s.io/apimachinery/pkg/util/runtime", Name: "Must"}, "(AddToScheme(", scheme, "))")
	f.P("}")
}
