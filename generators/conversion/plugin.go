package conversion

import (
	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/tag"
)

const (
	fileName  = "zz_generated.conversion.go"
	generator = "conversion-gen"
)

// Plugin returns the plug-in that prints zz_generated.conversion.go.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "conversion",
		Doc:  "functions that convert a version's types to those of its hub and back",
		Tags: []tag.Definition{
			{Name: tagName, Scope: tag.Package | tag.Type | tag.Field, Value: tag.Any,
				Doc: "On a package: the import path of a hub, whose types of the same names the package's are converted to; may be repeated. " +
					"On a type or field: false, to leave it out."},
			{Name: externalName, Scope: tag.Package, Value: tag.PackagePath, Doc: "The package whose types are converted, if it is another one."},
			{Name: functionName, Scope: tag.Func, Value: tag.Name,
				Doc: "On a hand-written conversion: drop, if it does nothing, or copy-only, if it only assigns, so that it need not be called."},
		},
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	for _, pkg := range pass.Packages {
		if p, ok := newPlan(pass.Set, pkg, pass.Report); ok && len(p.functions) > 0 {
			printPlan(pass.File(pkg, fileName, generator), p)
		}
	}
}
