package client

import (
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// kind prints the client of a kind.
func (p printer) kind(k *clients.Kind) {
	v := k.Version
	f := p.file(p.typed(v), v.PackageName(), k.ForFile()+".go")
	p.reserve(f, k)
	f.P("// ", k.Plural, "Getter has the client of ", k.Resource, ".")
	f.P("type ", k.Plural, "Getter interface {")
	f.P(k.Plural, "(", namespaceParam(k, ""), ") ", k.Name, "Interface")
	f.P("}")
	f.P()
	f.P("// ", k.Name, "Interface is what a client can do with ", k.Resource, ".")
	f.P("type ", k.Name, "Interface interface {")
	for _, verb := range k.Verbs() {
		p.verb(f, k, verb)
	}
	if len(k.Methods) > 0 {
		f.P()
	}
	for _, m := range p.methods(k) {
		f.P(m.Name, p.params(f, k, m, false))
	}
	f.P(k.Name, "Expansion")
	f.P("}")
	f.P()
	p.client(f, k)
	for _, m := range p.methods(k) {
		p.method(f, k, m)
	}
}

// reserve keeps the names of parameters and variables from being given to imports.
func (p printer) reserve(f *emit.File, k *clients.Kind) {
	f.Reserve("ctx", "opts", "name", "data", "result", "err", "c", "request", "patchOpts", "obj", "list", "items", "dst", "src", "fake", "namespace",
		k.Private, k.PrivatePlural, k.Private+"Name")
	for _, m := range k.Methods {
		f.Reserve(m.InputName())
	}
}

// verb prints a verb of a kind's interface.
func (p printer) verb(f *emit.File, k *clients.Kind, verb string) {
	object := f.Type(k.Type)
	input := func() string { return k.Private + " *" + object }
	ctx := func() string { return "(ctx " + f.Ident("context", "Context") + ", " }
	switch verb {
	case "create":
		f.P("Create", ctx(), input(), ", opts ", meta("CreateOptions"), ") (*", object, ", error)")
	case "update":
		f.P("Update", ctx(), input(), ", opts ", meta("UpdateOptions"), ") (*", object, ", error)")
	case "updateStatus":
		f.P("// UpdateStatus is there for the field Status; +genclient:noStatus above the type takes it away.")
		f.P("UpdateStatus", ctx(), input(), ", opts ", meta("UpdateOptions"), ") (*", object, ", error)")
	case "delete":
		f.P("Delete", ctx(), "name string, opts ", meta("DeleteOptions"), ") error")
	case "deleteCollection":
		f.P("DeleteCollection", ctx(), "opts ", meta("DeleteOptions"), ", listOpts ", meta("ListOptions"), ") error")
	case "get":
		f.P("Get", ctx(), "name string, opts ", meta("GetOptions"), ") (*", object, ", error)")
	case "list":
		f.P("List", ctx(), "opts ", meta("ListOptions"), ") (*", object, "List, error)")
	case "watch":
		f.P("Watch", ctx(), "opts ", meta("ListOptions"), ") (", emit.Ident{Path: "k8s.io/apimachinery/pkg/watch", Name: "Interface"}, ", error)")
	case "patch":
		f.P("Patch", ctx(), "name string, pt ", emit.Ident{Path: typesPkg, Name: "PatchType"}, ", data []byte, opts ", meta("PatchOptions"),
			", subresources ...string) (result *", object, ", err error)")
	case "apply":
		p.applyVerb(f, k, "Apply")
	case "applyStatus":
		p.applyVerb(f, k, "ApplyStatus")
	}
}

// applyVerb prints a verb that takes an apply configuration, if there are any.
func (p printer) applyVerb(f *emit.File, k *clients.Kind, name string) {
	if p.set.Apply.None() {
		return
	}
	if name == "ApplyStatus" {
		f.P("// ApplyStatus is there for the field Status; +genclient:noStatus above the type takes it away.")
	}
	f.P(name, "(ctx ", contextContext, ", ", k.Private, " *", p.set.ApplyOf(k.Type), ", opts ", meta("ApplyOptions"), ") (result *", k.Type, ", err error)")
}

// generic is the generic client that does the verbs of a kind, with its type arguments, of the name
// that begins so: Client, NewClient, FakeClient or NewFakeClient.
func (p printer) generic(f *emit.File, k *clients.Kind, begin string) string {
	lists, applies := p.lists(k), p.applies(k)
	name, args := begin, "*"+f.Type(k.Type)
	if lists || applies {
		name += "With"
	}
	if lists {
		name += "List"
		args += ", *" + f.Type(k.Type) + "List"
	}
	if lists && applies {
		name += "And"
	}
	if applies {
		name += "Apply"
		apply := p.set.ApplyOf(k.Type)
		args += ", *" + f.Ident(apply.Path, apply.Name)
	}
	return f.Ident(gentypePkg, name) + "[" + args + "]"
}

// lists and applies tell what the generic client has to be able to do.
func (p printer) lists(k *clients.Kind) bool   { return k.Has("list", "deleteCollection") }
func (p printer) applies(k *clients.Kind) bool { return k.Has("apply", "applyStatus") && !p.set.Apply.None() }

// client prints the type behind a kind's interface, and how one is made.
func (p printer) client(f *emit.File, k *clients.Kind) {
	object := f.Type(k.Type)
	f.P("// ", k.PrivatePlural, " is the ", k.Name, "Interface that sends requests.")
	f.P("type ", k.PrivatePlural, " struct {")
	f.P("*", p.generic(f, k, "Client"))
	f.P("}")
	f.P()
	f.P("func new", k.Plural, "(", namespaceParam(k, "c *"+k.Version.Prefix()+"Client"), ") *", k.PrivatePlural, " {")
	f.P("return &", k.PrivatePlural, "{")
	f.P(p.generic(f, k, "NewClient"), "(")
	f.P(strconv.Quote(k.Resource), ",")
	f.P("c.RESTClient(),")
	f.P(p.schemeName("ParameterCodec"), ",")
	if k.Namespaced {
		f.P("namespace,")
	} else {
		f.P(`"",`)
	}
	f.P("func() *", object, " { return &", object, "{} },")
	if p.lists(k) {
		f.P("func() *", object, "List { return &", object, "List{} },")
	}
	if p.set.Protobuf {
		f.P(gentype("PrefersProtobuf"), "[*", object, "](),")
	}
	f.P("),")
	f.P("}")
	f.P("}")
	f.P()
}
