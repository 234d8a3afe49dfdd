package defaulter

import (
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const (
	fileName  = "zz_generated.defaults.go"
	generator = "defaulter-gen"
)

// Plugin returns the plug-in that prints zz_generated.defaults.go.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "defaulter",
		Doc:  "functions that fill what the user left out, from +default tags and SetDefaults_ functions",
		Tags: []tag.Definition{
			{Name: tagName, Scope: tag.Package | tag.Type | tag.Func, Value: tag.Any,
				Doc: "On a package: the name of a field (TypeMeta) that makes a type get a SetObjectDefaults function, " +
					"or true for types that are tagged themselves, or false. On a type: true or false. " +
					"On a SetDefaults function: covers, if it fills everything below too."},
			{Name: inputName, Scope: tag.Package, Value: tag.PackagePath, Doc: "The package whose types are filled, if it is another one."},
			{Name: defaultName, Scope: tag.Type | tag.Field, Value: tag.JSON,
				Doc: "What an unset value becomes: JSON, or ref(Name) and ref(import/path.Name) for a constant or variable."},
			{Name: kubebuilderName, Scope: tag.Type | tag.Field, Value: tag.JSON,
				Doc: "As default; bare words and kubebuilder's own form of lists and maps are understood too."},
		},
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	for _, pkg := range pass.Packages {
		if p, ok := newPlan(pass.Model, pkg, pass.Report); ok {
			printer{File: pass.File(pkg, fileName, generator)}.plan(p)
		}
	}
}
