package client

import (
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

// fakeKind prints the client of a kind for tests.
func (p printer) fakeKind(k *clients.Kind) {
	v := k.Version
	f := p.file(p.typed(v).Below("fake"), "fake", "fake_"+k.ForFile()+".go")
	p.reserve(f, k)
	f.Reserve("empty")
	f.P("// fake", k.Plural, " is a ", k.Name, "Interface without a server.")
	f.P("type fake", k.Plural, " struct {")
	f.P("*", p.generic(f, k, "FakeClient"))
	f.P("Fake *Fake", v.Prefix())
	f.P("}")
	f.P()
	p.newFake(f, k)
	for _, m := range p.methods(k) {
		p.fakeMethod(f, k, m)
	}
}

// newFake prints how a fake client is made.
func (p printer) newFake(f *emit.File, k *clients.Kind) {
	v, object := k.Version, f.Type(k.Type)
	groupVersion := f.Ident(v.Package.Path, "SchemeGroupVersion")
	f.P("func newFake", k.Plural, "(", namespaceParam(k, "fake *Fake"+v.Prefix()), ") ", p.typedName(v, k.Name+"Interface"), " {")
	f.P("return &fake", k.Plural, "{")
	f.P(p.generic(f, k, "NewFakeClient"), "(")
	f.P("fake.Fake,")
	if k.Namespaced {
		f.P("namespace,")
	} else {
		f.P(`"",`)
	}
	f.P(groupVersion, ".WithResource(", strconv.Quote(k.Resource), "),")
	f.P(groupVersion, ".WithKind(", strconv.Quote(k.Name), "),")
	f.P("func() *", object, " { return &", object, "{} },")
	if p.lists(k) {
		f.P("func() *", object, "List { return &", object, "List{} },")
		f.P("func(dst, src *", object, "List) { dst.ListMeta = src.ListMeta },")
		toPointers, fromPointers := gentype("ToPointerSlice"), gentype("FromPointerSlice")
		if k.PointerItems {
			f.P("func(list *", object, "List) []*", object, " { return list.Items },")
			f.P("func(list *", object, "List, items []*", object, ") { list.Items = items },")
		} else {
			f.P("func(list *", object, "List) []*", object, " { return ", toPointers, "(list.Items) },")
			f.P("func(list *", object, "List, items []*", object, ") { list.Items = ", fromPointers, "(items) },")
		}
	}
	f.P("),")
	f.P("fake,")
	f.P("}")
	f.P("}")
	f.P()
}

// fakeMethod prints a method that notes what it is asked for, and lets reactors answer.
func (p printer) fakeMethod(f *emit.File, k *clients.Kind, m clients.Method) {
	f.P("// ", m.Name, " ", does(k, m), ".")
	f.P("func (c *fake", k.Plural, ") ", m.Name, p.params(f, k, m, true), " {")
	if m.Verb == "apply" {
		f.P("if ", m.InputName(), " == nil {")
		f.P("return nil, ", errorf, "(\"", m.Name, " wants an apply configuration, not nil\")")
		f.P("}")
		if m.Subresource == "" {
			p.applyName(f, m)
		}
		f.P("data, err := ", emit.Ident{Path: "encoding/json", Name: "Marshal"}, "(", m.InputName(), ")")
		f.P("if err != nil {\nreturn nil, err\n}")
	}
	f.P("empty := &", resultType(f, m), "{}")
	f.P("obj, err := c.Fake.Invokes(", p.action(f, k, m), ", empty)")
	f.P("if obj == nil {\nreturn empty, err\n}")
	f.P("return obj.(*", resultType(f, m), "), err")
	f.P("}")
	f.P()
}

// action is the expression for what a method does, as reactors see it.
func (p printer) action(f *emit.File, k *clients.Kind, m clients.Method) string {
	root, namespace := "Root", ""
	if k.Namespaced {
		root, namespace = "", "c.Namespace(), "
	}
	call := func(action, args string) string {
		return f.Ident(clientGo+"testing", "New"+root+action+"ActionWithOptions") + "(c.Resource(), " + args + ")"
	}
	sub, name := strconv.Quote(m.Subresource), nameParam(k, m)
	switch {
	case m.Verb == "list":
		return call("List", "c.Kind(), "+namespace+"opts")
	case m.Verb == "patch":
		return call("PatchSubresource", namespace+"name, pt, data, opts, "+patched(m))
	case m.Verb == "apply" && m.Subresource != "":
		return call("PatchSubresource", namespace+name+", "+f.Ident(typesPkg, "ApplyPatchType")+", data, opts.ToPatchOptions(), "+sub)
	case m.Verb == "apply":
		return call("PatchSubresource", namespace+"*name, "+f.Ident(typesPkg, "ApplyPatchType")+", data, opts.ToPatchOptions()")
	case m.Verb == "create" && m.Subresource != "":
		return call("CreateSubresource", name+", "+sub+", "+namespace+m.InputName()+", opts")
	case m.Verb == "create":
		return call("Create", namespace+m.InputName()+", opts")
	case m.Verb == "update" && m.Subresource != "":
		return call("UpdateSubresource", sub+", "+namespace+m.InputName()+", opts")
	case m.Verb == "update":
		return call("Update", namespace+m.InputName()+", opts")
	case m.Subresource != "":
		return call("GetSubresource", namespace+sub+", "+name+", opts")
	default:
		return call("Get", namespace+"name, opts")
	}
}
