package openapi

import (
	"encoding/json"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Schemas are the schemas that a package publishes, as its constant OpenAPISchemas has them: by
// model name. What is wrong with them is not reported: Plugin does that.
func Schemas(pass *generators.Pass, pkg *model.Package) map[string]json.RawMessage {
	quiet := &generators.Pass{Model: pass.Model, Packages: []*model.Package{pkg}, Report: &diag.Report{}}
	out := map[string]json.RawMessage{}
	for _, f := range plan(quiet) {
		for name, model := range f.models {
			text, err := encoded(model)
			if err != nil {
				panic(err) // impossible: every value of a tag was checked to be JSON when it was read
			}
			out[name] = text
		}
	}
	return out
}
