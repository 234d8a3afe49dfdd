package client

import (
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// group prints the client of a version.
func (p printer) group(v *clients.Version) {
	f := p.file(p.typed(v), v.PackageName(), v.Group.PackageName+"_client.go")
	f.Reserve("config", "client", "err", "version")
	name := v.Prefix() + "Client"
	f.P("// ", v.Prefix(), "Interface gives access to the resources of ", v.APIVersion(), ".")
	f.P("type ", v.Prefix(), "Interface interface {")
	f.P("RESTClient() ", rest("Interface"))
	for _, k := range v.Kinds {
		f.P(k.Plural, "Getter")
	}
	f.P("}")
	f.P()
	f.P("// ", name, " sends requests for the resources of ", v.APIVersion(), ".")
	f.P("type ", name, " struct {")
	f.P("restClient ", rest("Interface"))
	f.P("}")
	f.P()
	for _, k := range v.Kinds {
		f.P("// ", k.Plural, " is the client of ", k.Resource, ".")
		f.P("func (c *", name, ") ", k.Plural, "(", namespaceParam(k, ""), ") ", k.Name, "Interface {")
		f.P("return new", k.Plural, "(c", namespaceArg(k), ")")
		f.P("}")
		f.P()
	}
	p.newGroup(f, name)
	p.setDefaults(f, v)
	f.P("// RESTClient is what sends the requests.")
	f.P("func (c *", name, ") RESTClient() ", rest("Interface"), " {")
	f.P("if c == nil {\nreturn nil\n}")
	f.P("return c.restClient")
	f.P("}")
}

// newGroup prints the functions that make the client of a version.
func (p printer) newGroup(f *emit.File, name string) {
	f.P("// NewForConfig makes a client for a configuration, with an HTTP client of its own.")
	f.P("func NewForConfig(c *", rest("Config"), ") (*", name, ", error) {")
	f.P("config := *c")
	f.P("setConfigDefaults(&config)")
	f.P("client, err := ", rest("HTTPClientFor"), "(&config)")
	f.P("if err != nil {\nreturn nil, err\n}")
	f.P("return NewForConfigAndClient(&config, client)")
	f.P("}")
	f.P()
	f.P("// NewForConfigAndClient is NewForConfig with an HTTP client, which wins over what the configuration says of")
	f.P("// transport.")
	f.P("func NewForConfigAndClient(c *", rest("Config"), ", h *", httpClient, ") (*", name, ", error) {")
	f.P("config := *c")
	f.P("setConfigDefaults(&config)")
	f.P("client, err := ", rest("RESTClientForConfigAndClient"), "(&config, h)")
	f.P("if err != nil {\nreturn nil, err\n}")
	f.P("return &", name, "{client}, nil")
	f.P("}")
	f.P()
	f.P("// NewForConfigOrDie is NewForConfig that panics where that returns an error.")
	f.P("func NewForConfigOrDie(c *", rest("Config"), ") *", name, " {")
	f.P("client, err := NewForConfig(c)")
	f.P("if err != nil {\npanic(err)\n}")
	f.P("return client")
	f.P("}")
	f.P()
	f.P("// New makes a client that sends its requests through another one.")
	f.P("func New(c ", rest("Interface"), ") *", name, " { return &", name, "{c} }")
	f.P()
}

// setDefaults prints what a configuration needs to be one for this version.
func (p printer) setDefaults(f *emit.File, v *clients.Version) {
	path := "/apis"
	if v.Group.Name == "" {
		path = "/api"
	}
	f.P("func setConfigDefaults(config *", rest("Config"), ") {")
	f.P("version := ", emit.Ident{Path: v.Package.Path, Name: "SchemeGroupVersion"})
	f.P("config.GroupVersion = &version")
	f.P("config.APIPath = ", strconv.Quote(path))
	f.P("config.NegotiatedSerializer = ", rest("CodecFactoryForGeneratedClient"), "(", p.schemeName("Scheme"), ", ", p.schemeName("Codecs"), ").WithoutConversion()")
	f.P("if config.UserAgent == \"\" {")
	f.P("config.UserAgent = ", rest("DefaultKubernetesUserAgent"), "()")
	f.P("}")
	f.P("}")
	f.P()
}

// schemeName is something of the package with the scheme.
func (p printer) schemeName(name string) emit.Ident {
	return emit.Ident{Path: p.set.Clientset.Below("scheme").Path, Name: name}
}

// namespaceParam is the parameter of a kind that lies in namespaces, after others.
func namespaceParam(k *clients.Kind, others string) string {
	switch {
	case !k.Namespaced:
		return others
	case others == "":
		return "namespace string"
	default:
		return others + ", namespace string"
	}
}

// namespaceArg is the argument for it.
func namespaceArg(k *clients.Kind) string {
	if !k.Namespaced {
		return ""
	}
	return ", namespace"
}
