package client

import (
	"strings"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// clientset prints the clients of all versions as one.
func (p printer) clientset() {
	at := p.set.Clientset
	f := p.file(at, at.Name(), "clientset.go")
	f.Reserve("config", "client", "err", "set")
	f.P("// Interface gives access to the clients of all groups and versions.")
	f.P("type Interface interface {")
	f.P("Discovery() ", discovery("DiscoveryInterfaces"))
	p.versions(func(v *clients.Version) { f.P(v.Prefix(), "() ", p.typedName(v, v.Prefix()+"Interface")) })
	f.P("}")
	f.P()
	f.P("// Clientset has a client for each version of a group.")
	f.P("type Clientset struct {")
	f.P("*", discovery("DiscoveryClient"))
	p.versions(func(v *clients.Version) { f.P(field(v), " *", p.typedName(v, v.Prefix()+"Client")) })
	f.P("}")
	f.P()
	p.versions(func(v *clients.Version) {
		f.P("// ", v.Prefix(), " is the client of ", v.APIVersion(), ".")
		f.P("func (c *Clientset) ", v.Prefix(), "() ", p.typedName(v, v.Prefix()+"Interface"), " {")
		f.P("return c.", field(v))
		f.P("}")
		f.P()
	})
	f.P("// Discovery is the client that asks which resources there are.")
	f.P("func (c *Clientset) Discovery() ", discovery("DiscoveryInterfaces"), " {")
	f.P("if c == nil {\nreturn nil\n}")
	f.P("return c.DiscoveryClient")
	f.P("}")
	f.P()
	p.newForConfig(f)
	p.newClientset(f)
}

// newForConfig prints the functions that make a clientset of a configuration.
func (p printer) newForConfig(f *emit.File) {
	f.P("// NewForConfig makes a clientset for a configuration, with one HTTP client for all groups. The clients")
	f.P("// share a rate limiter, too: that of the configuration, or one made of its QPS and Burst.")
	f.P("func NewForConfig(c *", rest("Config"), ") (*Clientset, error) {")
	f.P("config := *c")
	f.P("if config.UserAgent == \"\" {")
	f.P("config.UserAgent = ", rest("DefaultKubernetesUserAgent"), "()")
	f.P("}")
	f.P("client, err := ", rest("HTTPClientFor"), "(&config)")
	f.P("if err != nil {\nreturn nil, err\n}")
	f.P("return NewForConfigAndClient(&config, client)")
	f.P("}")
	f.P()
	f.P("// NewForConfigAndClient is NewForConfig with an HTTP client, which wins over what the configuration says of")
	f.P("// transport.")
	f.P("func NewForConfigAndClient(c *", rest("Config"), ", httpClient *", httpClient, ") (*Clientset, error) {")
	f.P("config := *c")
	f.P("if config.RateLimiter == nil && config.QPS > 0 {")
	f.P("if config.Burst <= 0 {")
	f.P("return nil, ", errorf, "(\"a configuration with QPS=%v and without a RateLimiter needs a Burst above 0, not %d\", config.QPS, config.Burst)")
	f.P("}")
	f.P("config.RateLimiter = ", emit.Ident{Path: clientGo + "util/flowcontrol", Name: "NewTokenBucketRateLimiter"}, "(config.QPS, config.Burst)")
	f.P("}")
	f.P("var set Clientset")
	f.P("var err error")
	p.versions(func(v *clients.Version) {
		f.P("if set.", field(v), ", err = ", p.typedName(v, "NewForConfigAndClient"), "(&config, httpClient); err != nil {\nreturn nil, err\n}")
	})
	f.P("if set.DiscoveryClient, err = ", discovery("NewDiscoveryClientForConfigAndClient"), "(&config, httpClient); err != nil {\nreturn nil, err\n}")
	f.P("return &set, nil")
	f.P("}")
	f.P()
	f.P("// NewForConfigOrDie is NewForConfig that panics where that returns an error.")
	f.P("func NewForConfigOrDie(c *", rest("Config"), ") *Clientset {")
	f.P("set, err := NewForConfig(c)")
	f.P("if err != nil {\npanic(err)\n}")
	f.P("return set")
	f.P("}")
	f.P()
}

// newClientset prints the function that makes a clientset over a client of REST.
func (p printer) newClientset(f *emit.File) {
	f.P("// New makes a clientset that sends all requests through one client.")
	f.P("func New(c ", rest("Interface"), ") *Clientset {")
	f.P("var set Clientset")
	p.versions(func(v *clients.Version) { f.P("set.", field(v), " = ", p.typedName(v, "New"), "(c)") })
	f.P("set.DiscoveryClient = ", discovery("NewDiscoveryClient"), "(c)")
	f.P("return &set")
	f.P("}")
}

// versions calls visit for each version, in order.
func (p printer) versions(visit func(*clients.Version)) {
	for _, g := range p.set.Groups {
		for _, v := range g.Versions {
			visit(v)
		}
	}
}

// typedName is something of the package with the clients of a version.
func (p printer) typedName(v *clients.Version, name string) emit.Ident {
	return emit.Ident{Path: p.typed(v).Path, Name: name}
}

// field is the name of a version's client in the clientset.
func field(v *clients.Version) string {
	prefix := v.Prefix()
	return strings.ToLower(prefix[:1]) + prefix[1:]
}
