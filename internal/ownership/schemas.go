package ownership

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/typeplane/typeplane/internal/ownership/tree"
)

// Schemas are the fields of all kinds of a server, as apply patches need them. They are read when
// they are first needed, and may be used by any goroutine and for any number of resources.
type Schemas struct {
	openAPI map[schema.GroupVersion]string
	read    func() (*models, error)
}

// models are schemas that were read.
type models struct {
	kinds map[schema.GroupVersionKind]*tree.Type
}

// New takes the OpenAPI v3 schemas of each version: a JSON object from model name to schema. A
// model that several versions have must be the same in all of them. The map must not be modified.
func New(openAPI map[schema.GroupVersion]string) *Schemas {
	return &Schemas{openAPI: openAPI, read: sync.OnceValues(func() (*models, error) { return read(openAPI) })}
}

// read makes types of schemas.
func read(openAPI map[schema.GroupVersion]string) (*models, error) {
	specs := map[string]*spec.Schema{}
	byVersion := func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) }
	for _, gv := range slices.SortedFunc(maps.Keys(openAPI), byVersion) {
		var texts map[string]json.RawMessage
		if err := json.Unmarshal([]byte(openAPI[gv]), &texts); err != nil {
			return nil, fmt.Errorf("OpenAPI schemas of %s: %w", gv, err)
		}
		for name, text := range texts {
			if specs[name] != nil {
				continue
			}
			model := new(spec.Schema)
			if err := json.Unmarshal(text, model); err != nil {
				return nil, fmt.Errorf("OpenAPI schemas of %s: %s: %w", gv, name, err)
			}
			specs[name] = model
		}
	}
	schemas, err := schemaconv.ToSchemaFromOpenAPI(specs, false)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI schemas: failed to convert models to schema: %w", err)
	}
	return &models{kindsOf(specs, tree.Types(schemas))}, nil
}

// kindsOf are the types of the kinds that schemas are of.
func kindsOf(specs map[string]*spec.Schema, types map[string]*tree.Type) map[schema.GroupVersionKind]*tree.Type {
	kinds := map[schema.GroupVersionKind]*tree.Type{}
	for model, s := range specs {
		list, _ := s.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, element := range list {
			kind, _ := element.(map[string]any)
			group, _ := kind["group"].(string)
			version, _ := kind["version"].(string)
			name, _ := kind["kind"].(string)
			kinds[schema.GroupVersionKind{Group: group, Version: version, Kind: name}] = types[model]
		}
	}
	return kinds
}
