package docs

import (
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const tagName = "typeplane:docs"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "docs",
		Doc:  "a reference page for each version of an API (docs/api/<group>_<version>.md)",
		Tags: []tag.Definition{{
			Name: tagName, Scope: tag.Package, Value: tag.String,
			Doc: "Writes a page about the package's kinds: true, into docs/api of the module, or the folder for it, as in +" +
				tagName + "=documents/api; false, or no tag, for no page.",
		}},
		Stale: stale,
		Generate: func(pass *generators.Pass) {
			for _, p := range plan(pass) {
				pass.RawIn(p.api.Path, p.dir, p.name, render(p))
			}
		},
	}
}
