package openapi

import (
	"strings"

	"github.com/typeplane/typeplane/generators"
)

// printFile prints one file. The JSON stands in a raw string, where the only thing to escape is the backtick, and JSON has
// a way to write it.
func printFile(pass *generators.Pass, f file) {
	out := pass.File(f.pkg, fileName, generator)
	out.P("// OpenAPISchemas holds the OpenAPI v3 schemas of this package's kinds and of all that they are made of: a JSON")
	out.P("// object from model name to schema, whose references all point into it.")
	out.P("const OpenAPISchemas = `" + strings.ReplaceAll(string(printed(f.models)), "`", `\u0060`) + "`")
}
