package lister

import (
	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

const generator = "lister-gen"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return clients.Plugin("lister", generator, "what reads kinds from the cache of an informer (client/listers)", clients.Request(), generate)
}

func generate(pass *generators.Pass, set *clients.Set) {
	if set.Listers.None() {
		return
	}
	for _, g := range set.Groups {
		for _, v := range g.Versions {
			print(pass, set, v)
		}
	}
}
