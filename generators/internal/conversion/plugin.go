package conversion

import (
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const (
	fileName     = "zz_generated.conversion.go"
	losslessFile = "zz_generated.lossless.go"
	generator    = "conversion-gen"
)

// Plugin returns the plug-in that prints zz_generated.conversion.go.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "conversion",
		Doc:  "functions that convert a version's types to those of its hub and back, without loss where asked",
		Tags: []tag.Definition{
			{Name: tagName, Scope: tag.Package | tag.Type | tag.Field, Value: tag.Any,
				Doc: "On a package: the import path of a hub, whose types of the same names the package's are converted to. It may be repeated. false is for nothing but what types and functions ask for. " +
					"On a type or field: false, to leave it out."},
			{Name: externalName, Scope: tag.Package, Value: tag.PackagePath, Doc: "The package whose types are converted, if it is another one."},
			{Name: valuesName, Scope: tag.Type, Value: tag.TypeName,
				Doc: "net/url.Values: prints a function that fills the struct from the parameters of a URL, by their names in JSON."},
			{Name: functionName, Scope: tag.Func, Value: tag.Name,
				Doc: "On a hand-written conversion: drop, if it does nothing, or copy-only, if it only assigns, so that it need not be called."},
			{Name: losslessName, Scope: tag.Package,
				Doc: "On a package with +" + tagName + ": what its kinds can't say of the hub is kept in an annotation of theirs and restored " +
					"on the way back. Without it that is a problem. What is kept is stored under the names of the hub's fields: renaming one forgets it."},
		},
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}, {Name: losslessFile, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	for _, pkg := range pass.Packages {
		p, ok := newPlan(pass.Model, pkg, pass.Report)
		if !ok {
			warnOfOptOuts(pass.Model, pkg, pass.Report)
		}
		if !ok || len(p.functions)+len(p.values)+len(p.registrations) == 0 {
			continue
		}
		printPlan(pass.File(pkg, fileName, generator), p)
		if len(p.keepers) > 0 {
			err := printKeepers(pass.File(pkg, losslessFile, generator), p.keepers, p.equalities, pass.InlineRuntime)
			if err != nil {
				pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(pkg), Message: err.Error()})
			}
		}
	}
}

// warnOfOptOuts says where types are kept from being converted that nobody would convert.
func warnOfOptOuts(m *model.Model, pkg *model.Package, report *diag.Report) {
	for _, t := range pkg.Types.Types {
		if m.OfType(t).Has(tagName) {
			report.Warn(diag.Problem{
				Pos: m.TypePos(t), Path: t.Name.Name, Message: "+" + tagName + " has no effect in a package that converts nothing",
				Cure: "take it away",
			})
		}
	}
}
