package applyconfiguration

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/fieldset"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

// schemas are those of the kinds that clients apply, as structured-merge-diff reads them.
type schemas struct {
	yaml  string
	names map[*types.Type]string
}

// modelName is the name of a kind's schema.
func (s *schemas) modelName(t *types.Type) string { return s.names[t] }

// newSchemas makes the schemas of the kinds of a plan.
func newSchemas(pass *generators.Pass, p plan) (*schemas, error) {
	var kinds []*types.Type
	for _, c := range p.configs {
		if c.kind != nil && c.kind.Applied() {
			kinds = append(kinds, c.Type)
		}
	}
	texts, names := openapi.Models(pass, kinds)
	schema, err := fieldset.ReadSchema(texts)
	if err != nil {
		return nil, fmt.Errorf("the schemas of apply configurations: %w", err)
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(schema); err != nil {
		return nil, fmt.Errorf("the schemas of apply configurations: %w", err)
	}
	return &schemas{yaml: b.String(), names: names}, nil
}
