package ownership

import (
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/typeplane/typeplane/internal/ownership/tree"
)

// Schemas are the fields of all kinds of a server, for apply patches. Those of a version are read
// when they are first needed. Schemas may be used by any goroutine and for any number of resources.
type Schemas struct {
	versions map[schema.GroupVersion]func() (kinds, error)
}

// kinds are the types of the kinds of one version.
type kinds map[schema.GroupVersionKind]*tree.Type

// New returns the schemas of OpenAPI v3 documents. The document of a version is a JSON object from
// model name to schema; it has all models that it refers to. A kind is read from the document of
// its own version, because other documents may describe its model for their kinds: as a field, or
// by other rules.
func New(openAPI map[schema.GroupVersion]string) *Schemas {
	s := &Schemas{versions: make(map[schema.GroupVersion]func() (kinds, error), len(openAPI))}
	for gv, text := range openAPI {
		s.versions[gv] = sync.OnceValues(func() (kinds, error) {
			k, err := read(text)
			if err != nil {
				return nil, fmt.Errorf("OpenAPI schemas of %s: %w", gv, err)
			}
			return k, nil
		})
	}
	return s
}

// publish reports whether the version of a kind has schemas.
func (s *Schemas) publish(gvk schema.GroupVersionKind) bool {
	_, ok := s.versions[gvk.GroupVersion()]
	return ok
}

// of returns the type of a kind; nil if its version has no schemas.
func (s *Schemas) of(gvk schema.GroupVersionKind) (*tree.Type, error) {
	if !s.publish(gvk) {
		return nil, nil
	}
	known, err := s.versions[gvk.GroupVersion()]()
	if err != nil {
		return nil, err
	}
	if known[gvk] == nil {
		return nil, fmt.Errorf("OpenAPI schemas of %s: none has x-kubernetes-group-version-kind %s; run gen", gvk.GroupVersion(), gvk.Kind)
	}
	return known[gvk], nil
}

// read returns the types of the kinds of a document.
func read(text string) (kinds, error) {
	var texts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &texts); err != nil {
		return nil, err
	}
	specs := make(map[string]*spec.Schema, len(texts))
	for name, text := range texts {
		model := new(spec.Schema)
		if err := json.Unmarshal(text, model); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		specs[name] = model
	}
	schemas, err := schemaconv.ToSchemaFromOpenAPI(specs, false)
	if err != nil {
		return nil, fmt.Errorf("failed to convert models to schema: %w", err)
	}
	return kindsOf(specs, tree.Types(schemas)), nil
}

// kindsOf returns the types of the kinds that models name.
func kindsOf(specs map[string]*spec.Schema, types map[string]*tree.Type) kinds {
	out := kinds{}
	for model, s := range specs {
		list, _ := s.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, element := range list {
			kind, _ := element.(map[string]any)
			group, _ := kind["group"].(string)
			version, _ := kind["version"].(string)
			name, _ := kind["kind"].(string)
			out[schema.GroupVersionKind{Group: group, Version: version, Kind: name}] = types[model]
		}
	}
	return out
}
