package openapi

import (
	"encoding/json"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// Schemas returns the schemas that a package publishes in its constant OpenAPISchemas, by model
// name. It reports no problems, because Plugin does.
func Schemas(pass *generators.Pass, pkg *model.Package) map[string]json.RawMessage {
	quiet := *pass
	quiet.Report = &diag.Report{}
	out := map[string]json.RawMessage{}
	for name, model := range newPlanner(&quiet).modelsOf(pkg).done {
		out[name] = mustEncode(model)
	}
	return out
}

func mustEncode(s *schema) json.RawMessage {
	text, err := tagvalue.Encode(s)
	if err != nil {
		panic(err) // impossible: every value of a tag was checked to be JSON when it was read
	}
	return text
}

// Models are the schemas of some types and of all that they are made of, by the names that
// apimachinery's Scheme looks for: by +k8s:openapi-model-package, or by import paths. namesOf are
// those of the types. They are those of clients, which know of no CustomResourceDefinition.
func Models(pass *generators.Pass, kinds []*types.Type) (texts map[string]json.RawMessage, namesOf map[*types.Type]string) {
	p := &planner{from: pass.Model, report: &diag.Report{}, names: map[string]packageNames{}, tried: map[string]bool{}, byPath: true}
	texts, namesOf = map[string]json.RawMessage{}, map[*types.Type]string{}
	m := newModels(p, nil)
	for _, t := range kinds {
		namesOf[t] = m.model(t)
		m.work()
	}
	for name, model := range m.done {
		texts[name] = mustEncode(model)
	}
	return texts, namesOf
}
