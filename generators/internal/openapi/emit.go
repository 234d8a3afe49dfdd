package openapi

import (
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// printFile prints one file. The JSON stands in a raw string, where the only thing to escape is the
// backtick, and JSON has a way to write it.
func printFile(pass *generators.Pass, f file) {
	out := pass.File(f.pkg, fileName, generator)
	out.Preamble(schemasLine)
	out.P("// OpenAPISchemas holds the OpenAPI v3 schemas of this package's kinds and of all that they are made of: a JSON")
	out.P("// object from model name to schema, whose references all point into it.")
	out.P("const OpenAPISchemas = `" + strings.ReplaceAll(string(printed(f.models)), "`", `\u0060`) + "`")
}

// printModelNames prints the methods in the words of openapi-gen, so that a tree that has its
// output does not change.
func printModelNames(pass *generators.Pass, pkg *model.Package, names []modelNameOf) {
	out := pass.File(pkg, modelFileName, generator)
	for _, n := range names {
		out.P("// OpenAPIModelName returns the OpenAPI model name for this type.")
		out.P("func (in ", n.typeName, ") OpenAPIModelName() string {")
		out.P("return ", strconv.Quote(n.model))
		out.P("}")
		out.P()
	}
}

// The files that are printed, and the name in their header.
const (
	fileName      = "zz_generated.openapi.go"
	modelFileName = "zz_generated.model_name.go"
	generator     = "openapi-gen"
	// schemasLine tells our file from the file that openapi-gen writes under this name, which is
	// not ours to remove.
	schemasLine = "The schemas of one package, as a constant."
)
