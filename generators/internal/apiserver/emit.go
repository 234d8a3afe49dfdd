package apiserver

import (
	"maps"
	"slices"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

func emitServer(pass *generators.Pass, s *server) {
	p := printer{pass.File(s.pkg, fileName, generator), s}
	p.Reserve("documentDefaults", "nullableMembers", "openMembers", "b", "in", "out", "fields", "replicas", "from", "to", "cells", "item", "value", "key", "i", "ok")
	for _, h := range s.hubs {
		p.Reserve(h.local+"Hub", h.local+"Strategy")
	}
	p.addToScheme()
	p.newServer()
	p.documentDefaults()
	p.members("nullableMembers", "are those that may be null", p.s.hidden.Nullable)
	p.members("openMembers", "are RawExtensions that may be no objects", p.s.hidden.Open)
	for _, h := range s.hubs {
		if h.expires != nil {
			p.expires(h)
		}
		for _, v := range h.versions {
			if len(v.fields) > 0 {
				p.P()
				p.selectableFields(v)
			}
			if v.readable {
				p.P()
				p.storedFields(v)
			}
			if v.scale != nil {
				p.scale(v)
			}
			if len(v.columns) > 0 {
				p.P()
				p.cells(v)
			}
		}
	}
}

// what is what the file is about.
func (p printer) what() string {
	if p.s.part {
		return "package"
	}
	return "server"
}

func (p printer) addToScheme() {
	p.P("// addToScheme declares every kind that this ", p.what(), " knows, in every version.")
	p.P("func addToScheme(b *", p.runtime("Builder"), ") {")
	for i, h := range p.s.hubs {
		if i > 0 {
			p.P()
		}
		p.P(h.local, "Hub := ", p.runtime("AddHub"), "(b, ", p.groupKind(h.groupKind), ", func() *", h.ident(), " { return new(", h.ident(), ") })")
		for _, v := range h.versions {
			p.version(h, v)
		}
	}
	p.P("}")
	p.P()
}

func (p printer) version(h *hub, v *version) {
	t, name := v.ident(), v.goType.Name.Name
	list := emit.Ident{Path: t.Path, Name: name + "List"}
	p.P(p.runtime("AddVersion"), "(", h.local, "Hub, ", p.runtime("Version"), "[*", t, ", *", h.ident(), "]{")
	p.P("GroupVersion: ", p.groupVersion(v.gv), ",")
	if name != h.groupKind.Kind {
		p.P("Kind: ", quoted(name), ",")
	}
	p.P("New: func() *", t, " { return new(", t, ") },")
	p.P("NewList: func() ", emit.Ident{Path: apiruntimePath, Name: "Object"}, " { return new(", list, ") },")
	if v.defaults {
		p.P("Default: ", emit.Ident{Path: v.pkg.Path, Name: "SetObjectDefaults_" + name}, ",")
	}
	if v.goType != h.goType {
		p.conversions(h, v)
	}
	p.functions(v)
	if v.ownRulesOnly {
		p.P("OwnRulesOnly: true,")
	}
	if len(p.s.hidden.Defaults) > 0 && !v.functions.shared {
		p.P("DocumentDefaults: documentDefaults,")
	}
	if len(p.s.hidden.Nullable) > 0 && !v.functions.shared {
		p.P("NullableMembers: nullableMembers,")
	}
	if len(p.s.hidden.Open) > 0 && !v.functions.shared {
		p.P("OpenMembers: openMembers,")
	}
	if v.deprecated != "" {
		p.P("Deprecated: ", quoted(v.deprecated), ",")
	}
	if len(v.fields) > 0 {
		p.P("SelectableFields: selectableFields_", v.suffix, ",")
	}
	if v.readable {
		p.P("StoredFields: storedFields_", v.suffix, ",")
	}
	if v.scale != nil {
		p.P("Scale: scale_", v.suffix, ",")
		p.P("SetReplicas: setReplicas_", v.suffix, ",")
	}
	p.columns(v)
	p.P("})")
}

// documentDefaults prints the defaults that Go values don't tell.
func (p printer) documentDefaults() {
	if len(p.s.hidden.Defaults) == 0 {
		return
	}
	p.P()
	p.P("// documentDefaults are the defaults that are not seen in Go values, by struct and member.")
	p.P("var documentDefaults = map[string]string{")
	for _, member := range slices.Sorted(maps.Keys(p.s.hidden.Defaults)) {
		p.P(quoted(member), ": ", quoted(p.s.hidden.Defaults[member]), ",")
	}
	p.P("}")
}

// members prints a set of members.
func (p printer) members(name, are string, set map[string]bool) {
	if len(set) == 0 {
		return
	}
	p.P()
	p.P("// ", name, " ", are, ", by struct and member.")
	p.P("var ", name, " = map[string]bool{")
	for _, member := range slices.Sorted(maps.Keys(set)) {
		p.P(quoted(member), ": true,")
	}
	p.P("}")
}

// conversions prints how a version gets to its hub and back.
func (p printer) conversions(h *hub, v *version) {
	switch v.by {
	case conversionByJSON:
		p.P("SameJSON: true,")
	case conversionByMethods:
		p.P("ToHub: func(in *", v.ident(), ", out *", h.ident(), ") error { return in.", methodConvertTo, "(out) },")
		p.P("FromHub: func(in *", h.ident(), ", out *", v.ident(), ") error { return out.", methodConvertFrom, "(in) },")
	default:
		p.P("ToHub: ", p.runtime("Unscoped"), "(", emit.Ident{Path: v.conversions.pkg.Path, Name: v.conversions.ToHub}, "),")
		p.P("FromHub: ", p.runtime("Unscoped"), "(", emit.Ident{Path: v.conversions.pkg.Path, Name: v.conversions.FromHub}, "),")
	}
}
