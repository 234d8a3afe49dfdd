package client

import (
	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

const generator = "client-gen"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return clients.Plugin("client", generator,
		"a typed client for each version of a group, a clientset of them, and fakes (client/clientset/versioned)",
		clients.ClientTags(), generate)
}

func generate(pass *generators.Pass, set *clients.Set) {
	p := printer{pass: pass, set: set}
	p.clientset()
	p.scheme()
	p.fakeClientset()
	p.fakeScheme()
	for _, g := range set.Groups {
		for _, v := range g.Versions {
			p.version(v)
		}
	}
}

// printer prints the clients of a set.
type printer struct {
	pass *generators.Pass
	set  *clients.Set
}

// file starts a file in the clientset's folder or below it.
func (p printer) file(at clients.Place, name, file string) *emit.File {
	return p.pass.FileIn(p.set.Package, at.Dir, at.Path, name, file, generator)
}

// typed is the folder of the clients of a version.
func (p printer) typed(v *clients.Version) clients.Place {
	return p.set.Clientset.Below("typed", v.Path())
}

// version prints the clients of a version, and their fakes.
func (p printer) version(v *clients.Version) {
	at, fake := p.typed(v), p.typed(v).Below("fake")
	p.file(at, v.PackageName(), "doc.go").Document("Package " + v.PackageName() + " has the typed clients of " + v.APIVersion() + ".")
	p.file(fake, "fake", "doc.go").Document("Package fake has clients of " + v.APIVersion() + " for tests.")
	p.group(v)
	p.fakeGroup(v)
	p.expansions(v)
	for _, k := range v.Kinds {
		p.kind(k)
		p.fakeKind(k)
	}
}

// expansions prints the interfaces that methods written by hand go into, where nobody has written
// them yet.
func (p printer) expansions(v *clients.Version) {
	at := p.typed(v)
	f := p.file(at, v.PackageName(), "generated_expansion.go")
	for _, k := range v.Kinds {
		if at.Has(k.ForFile() + "_expansion.go") {
			continue
		}
		f.P("// ", k.Name, "Expansion is for methods of ", k.Name, "Interface that are written by hand, in ", k.ForFile(), "_expansion.go.")
		f.P("type ", k.Name, "Expansion interface{}")
		f.P()
	}
}
