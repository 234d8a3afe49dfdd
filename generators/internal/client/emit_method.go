package client

import (
	"slices"
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
)

const (
	typesPkg   = "k8s.io/apimachinery/pkg/types"
	gentypePkg = clientGo + "gentype"
)

// methods are the methods of a kind that are printed: those that apply only if there are apply
// configurations.
func (p printer) methods(k *clients.Kind) []clients.Method {
	return slices.DeleteFunc(slices.Clone(k.Methods), func(m clients.Method) bool { return m.Verb == "apply" && p.set.Apply.None() })
}

// params are the parameters and the results of a method; named gives names to the results.
func (p printer) params(f *emit.File, k *clients.Kind, m clients.Method, named bool) string {
	out := "(ctx " + f.Ident("context", "Context") + ", "
	if name := nameParam(k, m); name != "" {
		out += name + " string, "
	}
	option := map[string]string{"create": "CreateOptions", "update": "UpdateOptions", "get": "GetOptions", "list": "ListOptions", "patch": "PatchOptions", "apply": "ApplyOptions"}[m.Verb]
	switch m.Verb {
	case "create", "update":
		out += m.InputName() + " *" + f.Type(m.Input) + ", "
	case "apply":
		apply := p.set.ApplyOf(m.Input)
		out += m.InputName() + " *" + f.Ident(apply.Path, apply.Name) + ", "
	case "patch":
		out += "pt " + f.Ident(typesPkg, "PatchType") + ", data []byte, "
	}
	out += "opts " + f.Ident(metaV1, option)
	if m.Verb == "patch" {
		out += ", subresources ...string"
	}
	if named {
		return out + ") (result *" + resultType(f, m) + ", err error)"
	}
	return out + ") (*" + resultType(f, m) + ", error)"
}

// nameParam is the parameter for the name of the object; "" where what is sent has it, or there is
// none.
func nameParam(k *clients.Kind, m clients.Method) string {
	switch {
	case m.Subresource != "" && m.Verb != "patch":
		return k.Private + "Name"
	case m.Verb == "get" || m.Verb == "patch":
		return "name"
	}
	return ""
}

func resultType(f *emit.File, m clients.Method) string {
	if m.Verb == "list" {
		return f.Type(m.Result) + "List"
	}
	return f.Type(m.Result)
}

// method prints a method of a kind's client.
func (p printer) method(f *emit.File, k *clients.Kind, m clients.Method) {
	f.P("// ", m.Name, " ", does(k, m), ".")
	f.P("func (c *", k.PrivatePlural, ") ", m.Name, p.params(f, k, m, true), " {")
	request, options := "c.GetClient()."+httpVerb(m), "&opts"
	if m.Verb == "apply" {
		f.P("if ", m.InputName(), " == nil {")
		f.P("return nil, ", errorf, "(\"", m.Name, " wants an apply configuration, not nil\")")
		f.P("}")
		if m.Subresource == "" {
			p.applyName(f, m)
		}
		f.P("request, err := ", emit.Ident{Path: clientGo + "util/apply", Name: "NewRequest"}, "(c.GetClient(), ", m.InputName(), ")")
		f.P("if err != nil {\nreturn nil, err\n}")
		f.P("patchOpts := opts.ToPatchOptions()")
		request, options = "request", "&patchOpts"
	}
	if m.Verb == "list" {
		f.P("var timeout ", emit.Ident{Path: "time", Name: "Duration"})
		f.P("if opts.TimeoutSeconds != nil {")
		f.P("timeout = ", emit.Ident{Path: "time", Name: "Duration"}, "(*opts.TimeoutSeconds) * ", emit.Ident{Path: "time", Name: "Second"})
		f.P("}")
	}
	f.P("result = &", resultType(f, m), "{}")
	f.P("err = ", request, ".")
	p.chain(f, k, m, options)
	f.P("return result, err")
	f.P("}")
	f.P()
}

// chain prints what is called on a request, one after the other.
func (p printer) chain(f *emit.File, k *clients.Kind, m clients.Method, options string) {
	if p.set.Protobuf {
		f.P("UseProtobufAsDefault().")
	}
	if k.Namespaced {
		f.P("Namespace(c.GetNamespace()).")
	}
	f.P("Resource(", strconv.Quote(k.Resource), ").")
	switch {
	case nameParam(k, m) != "":
		f.P("Name(", nameParam(k, m), ").")
	case m.Verb == "update":
		f.P("Name(", m.InputName(), ".Name).")
	case m.Verb == "apply":
		f.P("Name(*name).")
	}
	switch {
	case m.Verb == "patch":
		f.P("SubResource(", patched(m), ").")
	case m.Subresource != "":
		f.P("SubResource(", strconv.Quote(m.Subresource), ").")
	}
	f.P("VersionedParams(", options, ", ", p.schemeName("ParameterCodec"), ").")
	switch m.Verb {
	case "create", "update":
		f.P("Body(", m.InputName(), ").")
	case "patch":
		f.P("Body(data).")
	case "list":
		f.P("Timeout(timeout).")
	}
	f.P("Do(ctx).")
	f.P("Into(result)")
}

// patched is the argument for the subresources of a patch: that of the method before those of the
// caller.
func patched(m clients.Method) string {
	if m.Subresource == "" {
		return "subresources..."
	}
	return "append([]string{" + strconv.Quote(m.Subresource) + "}, subresources...)..."
}

// applyName prints the check that an apply configuration has a name.
func (p printer) applyName(f *emit.File, m clients.Method) {
	f.P("name := ", m.InputName(), ".GetName()")
	f.P("if name == nil {")
	f.P("return nil, ", errorf, "(\"", m.Name, " wants an apply configuration with a name\")")
	f.P("}")
}

// httpVerb is the method of a request's client for a verb.
func httpVerb(m clients.Method) string {
	switch m.Verb {
	case "create":
		return "Post()"
	case "update":
		return "Put()"
	case "patch":
		return "Patch(pt)"
	default:
		return "Get()"
	}
}

// does says what a method does.
func does(k *clients.Kind, m clients.Method) string {
	of := "a " + k.Name
	if m.Subresource != "" {
		of = "subresource " + m.Subresource + " of a " + k.Name
	}
	switch m.Verb {
	case "create":
		return "creates " + of + ", and returns what the server makes of it"
	case "update":
		return "replaces " + of + ", and returns what the server makes of it"
	case "patch":
		return "patches " + of + ", and returns what the server makes of it"
	case "apply":
		return "applies a configuration to " + of + ", and returns what the server makes of it"
	case "list":
		return "lists " + of + " by selectors"
	default:
		return "gets " + of + " by its name"
	}
}
