package guard

import (
	"fmt"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const (
	fileName  = "zz_generated.guard.go"
	generator = "guard-gen"

	tagName = "typeplane:guard"
)

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "guard",
		Doc:  "what keeps a package from compiling when its types have changed since gen ran (zz_generated.guard.go)",
		Tags: []tag.Definition{{
			Name: tagName, Scope: tag.Package, Value: tag.Bool,
			Doc: "false leaves the package without a guard, so that it compiles with generated code that is older than its types, as in +" + tagName + "=false.",
		}},
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}},
		Last:     true,
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	if pass.Partial {
		pass.Report.Add(diag.Problem{
			Message: "the guard says that all generated code of a package is up to date, so it needs a run of all generators",
			Cure:    "leave --generators out, or guard out of it",
		})
		return
	}
	for _, g := range plan(pass) {
		print(pass.File(g.pkg, fileName, generator), g)
	}
}

// on reads the package's tag.
func on(pass *generators.Pass, pkg *model.Package) bool {
	switch value, _ := pass.Model.OfPackage(pkg).Last(tagName); value {
	case "", "true":
		return true
	case "false":
		return false
	default:
		pass.Report.Add(diag.Problem{
			Pos: pass.Model.PackagePos(pkg), Message: fmt.Sprintf("+%s=%s: want true or false", tagName, value),
		})
		return false
	}
}
