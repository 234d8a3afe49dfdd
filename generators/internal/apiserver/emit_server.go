package apiserver

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

func (p printer) newServer() {
	server := emit.Ident{Path: rootPath, Name: "Server"}
	if p.s.part {
		server.Name = "API"
		p.P("// ", p.s.constructor, " returns the kinds of this package for a server that asks for them, and how each of them is stored and served.")
	} else {
		p.P("// ", p.s.constructor, " returns the server of this program: its kinds, and how each of them is stored and served.")
	}
	p.P("func ", p.s.constructor, "() ", server, " {")
	for _, h := range p.s.hubs {
		if h.strategy != nil {
			p.P(h.local, "Strategy := new(", h.strategy.goType, ")")
		}
	}
	p.P("return ", server, "{")
	if !p.s.part {
		p.P("Name: ", quoted(p.s.name), ",")
	}
	p.P("AddToScheme: addToScheme,")
	p.P("Resources: []", emit.Ident{Path: registryPath, Name: "Resource"}, "{")
	for _, h := range p.s.hubs {
		p.resource(h)
	}
	p.P("},")
	p.webhooks()
	if len(p.s.openAPI) > 0 {
		p.P("OpenAPI: map[", emit.Ident{Path: schemaPath, Name: "GroupVersion"}, "]string{")
		for _, o := range p.s.openAPI {
			p.P(fmt.Sprintf("{Group: %q, Version: %q}: ", o.gv.Group, o.gv.Version), emit.Ident{Path: o.pkg.Path, Name: "OpenAPISchemas"}, ",")
		}
		p.P("},")
	}
	p.P("}")
	p.P("}")
}

// webhooks prints what asks the kinds that default and validate themselves.
func (p printer) webhooks() {
	var asked []any
	for _, h := range p.s.hubs {
		if h.defaultsItself {
			asked = append(asked, emit.Ident{Path: rootPath, Name: "DefaultingItself"}, "[*", h.ident(), "](),\n")
		}
		if h.validatesItself {
			asked = append(asked, emit.Ident{Path: rootPath, Name: "ValidatingItself"}, "[*", h.ident(), "](),\n")
		}
	}
	if len(asked) > 0 {
		p.P("Admission: []", emit.Ident{Path: rootPath, Name: "AdmissionPlugin"}, "{")
		p.P(asked...)
		p.P("},")
	}
}

func (p printer) resource(h *hub) {
	p.P(emit.Ident{Path: registryPath, Name: "Define"}, "(", emit.Ident{Path: registryPath, Name: "Definition"}, "[*", h.ident(), "]{")
	p.P("GroupKind: ", p.groupKind(h.groupKind), ",")
	p.P("Plural: ", quoted(h.names.plural), ",")
	p.P("Singular: ", quoted(h.names.singular), ",")
	if len(h.names.shortNames) > 0 {
		p.P("ShortNames: ", stringList(h.names.shortNames), ",")
	}
	if len(h.names.categories) > 0 {
		p.P("Categories: ", stringList(h.names.categories), ",")
	}
	if h.names.namespaced {
		p.P("Namespaced: true,")
	}
	if h.names.keyPrefix != "" {
		p.P("KeyPrefix: ", quoted(h.names.keyPrefix), ",")
	}
	p.P("StorageVersion: ", p.groupVersion(h.storage.gv), ",")
	p.P("Versions: []", emit.Ident{Path: schemaPath, Name: "GroupVersion"}, "{", p.served(h), "},")
	if h.status {
		p.copyStatus(h)
	}
	p.authored(h)
	if h.expires != nil || len(h.options) > 0 || h.strategy != nil && len(h.strategy.hooks) > 0 {
		p.P("Strategy: ", emit.Ident{Path: registryPath, Name: "Strategy"}, "[*", h.ident(), "]{")
		p.strategy(h)
		p.P("},")
	}
	p.P("}),")
}

// strategy prints the fields of a registry.Strategy that the methods of a strategy and markers fill
// in.
func (p printer) strategy(h *hub) {
	p.options(h)
	var ending, status []string
	if h.expires != nil {
		ending = append(ending, "Expires: expires_"+h.storage.suffix)
	}
	var hooks []hook
	if h.strategy != nil {
		hooks = h.strategy.hooks
	}
	for _, k := range hooks {
		method := h.local + "Strategy." + k.name
		switch k.role {
		case function:
			p.P(k.name, ": ", method, ",")
		case statusUpdate:
			status = append(status, statusFields[k.name]+": "+method)
		case deletion:
			ending = append(ending, k.name+": "+method)
		case value:
			p.P(k.name, ": ", method, "(),")
		case choice:
			p.P(k.name, ": new(", method, "()),")
		case denied:
			p.P(deniedFields[k.name], ": !", method, "(),")
		case bySubresource:
			p.P(k.name, fmt.Sprintf(`: map[string][]string{"": %[1]s(""), "status": %[1]s("status"), "scale": %[1]s("scale")},`, method))
		}
	}
	if len(status) > 0 {
		p.P("StatusUpdate: ", emit.Ident{Path: registryPath, Name: "StatusUpdate"}, "[*", h.ident(), "]{", strings.Join(status, ", "), "},")
	}
	if len(ending) > 0 {
		p.P("Deletion: ", emit.Ident{Path: registryPath, Name: "Deletion"}, "[*", h.ident(), "]{", strings.Join(ending, ", "), "},")
	}
}

// options prints the options of the kind's rules.
func (p printer) options(h *hub) {
	if len(h.options) == 0 {
		return
	}
	var out []string
	for _, o := range h.options {
		out = append(out, fmt.Sprintf("%q: %t", o.name, o.on))
	}
	p.P("ValidationOptions: func(", emit.Ident{Path: "context", Name: "Context"}, ", *", h.ident(), ", *", h.ident(), ") map[string]bool {")
	p.P("return map[string]bool{", strings.Join(out, ", "), "}")
	p.P("},")
}

// served lists the served versions of a kind.
func (p printer) served(h *hub) string {
	var out []string
	for _, v := range h.versions {
		if v.served {
			out = append(out, literal(v.gv))
		}
	}
	return strings.Join(out, ", ")
}

// literal is a group version inside a literal that says the type.
func literal(gv schema.GroupVersion) string {
	return fmt.Sprintf("{Group: %q, Version: %q}", gv.Group, gv.Version)
}

// selectableFields prints the function that reads the selectable fields of one version.
func (p printer) selectableFields(v *version) {
	p.P("// selectableFields_", v.suffix, " returns the fields of kind ", v.goType.Name.Name, " in ", v.gv, " that a selector may name.")
	p.P("func selectableFields_", v.suffix, "(in *", v.ident(), ") map[string]string {")
	guarded := false
	for _, f := range v.fields {
		guarded = guarded || len(f.guards) > 0
	}
	if guarded {
		p.P("fields := map[string]string{")
	} else {
		p.P("return map[string]string{")
	}
	for _, f := range v.fields {
		if len(f.guards) == 0 {
			p.P(quoted(f.label), ": ", p.text(f.target), ",")
		} else {
			p.P(quoted(f.label), `: "",`)
		}
	}
	p.P("}")
	if guarded {
		for _, f := range v.fields {
			if len(f.guards) > 0 {
				p.P("if ", f.exists(), " {")
				p.P("fields[", quoted(f.label), "] = ", p.text(f.target))
				p.P("}")
			}
		}
		p.P("return fields")
	}
	p.P("}")
}

// text is the expression that turns a field into what selectors compare.
func (p printer) text(f target) string {
	if isDuration(f.leaf) {
		return strings.TrimPrefix(f.value, "*") + ".Duration.String()" // Go follows a pointer by itself
	}
	switch textOf(f.leaf) {
	case "bool":
		return fmt.Sprintf("%s(%s)", p.Ident("strconv", "FormatBool"), cast(f, "bool"))
	case "int":
		return fmt.Sprintf("%s(%s, 10)", p.Ident("strconv", "FormatInt"), cast(f, "int64"))
	case "uint":
		return fmt.Sprintf("%s(%s, 10)", p.Ident("strconv", "FormatUint"), cast(f, "uint64"))
	}
	return cast(f, "string")
}
