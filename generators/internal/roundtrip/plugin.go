package roundtrip

import (
	"fmt"
	"go/token"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const (
	fileName  = "zz_generated.roundtrip_test.go"
	generator = "roundtrip-gen"

	tagName  = "typeplane:roundtrip-gen"
	tagFill  = "typeplane:roundtrip-gen:fill"
	testName = "TestGeneratedRoundTrip"
)

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "roundtrip",
		Doc:  "a test of what the other generators print for the kinds (zz_generated.roundtrip_test.go)",
		Tags: []tag.Definition{
			{Name: tagName, Scope: tag.Package, Value: tag.Bool,
				Doc: "true generates a test that copies, encodes, decodes, defaults and converts random objects of the package's kinds."},
			{Name: tagFill, Scope: tag.Package, Value: tag.Name,
				Doc: "Names a variable of type []any in a test file of the package: functions func(*T, randfill.Continue) for types whose values follow a rule, as in +" + tagFill + "=fillers."},
		},
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}},
		Last:     true,
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	for _, pkg := range pass.Packages {
		fill, ok := wanted(pass, pkg)
		if !ok {
			continue
		}
		if pass.Partial {
			problem(pass, pkg, "the test of a package says what all generators print there, so it needs a run of all", "leave --generators out, or roundtrip out of it")
			continue
		}
		kinds := plan(pass, pkg)
		if len(kinds) == 0 {
			problem(pass, pkg, "+"+tagName+" asks for a test, and there is no kind in this package", "take the tag away, or embed metav1.TypeMeta in what is a kind")
			continue
		}
		print(pass.File(pkg, fileName, generator), kinds, fill)
	}
}

// wanted reads the package's tags; fill is "" without a variable.
func wanted(pass *generators.Pass, pkg *model.Package) (fill string, ok bool) {
	value, found := pass.Model.OfPackage(pkg).Last(tagName)
	fill, fills := pass.Model.OfPackage(pkg).Last(tagFill)
	switch {
	case found && value != "" && value != "true" && value != "false":
		problem(pass, pkg, fmt.Sprintf("+%s=%s: want true or false", tagName, value), "")
		return "", false
	case fills && !token.IsIdentifier(fill):
		problem(pass, pkg, fmt.Sprintf("+%s=%s is no name", tagFill, fill), "name a variable of type []any that a test file of the package declares")
		return "", false
	case fills && (!found || value == "false"):
		problem(pass, pkg, "+"+tagFill+" is for packages with a generated test", "say +"+tagName+"=true too")
	}
	return fill, found && value != "false"
}

func problem(pass *generators.Pass, pkg *model.Package, message, cure string) {
	pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(pkg), Message: message, Cure: cure})
}
