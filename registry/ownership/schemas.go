package ownership

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Schemas are the fields of all kinds of a server, as apply patches need them. They are read for the first of those, and may
// be used by any goroutine and for any number of resources.
type Schemas struct {
	openAPI map[schema.GroupVersion]string
	types   func() (managedfields.TypeConverter, error)
}

// New takes the OpenAPI v3 schemas of each version: a JSON object from model name to schema. A model that several
// versions have must be the same in all of them. The map must not be modified.
func New(openAPI map[schema.GroupVersion]string) *Schemas {
	s := &Schemas{openAPI: openAPI}
	s.types = sync.OnceValues(s.read)
	return s
}

// read makes of the schemas what managedfields works with.
func (s *Schemas) read() (managedfields.TypeConverter, error) {
	models := map[string]*spec.Schema{}
	byVersion := func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) }
	for _, gv := range slices.SortedFunc(maps.Keys(s.openAPI), byVersion) {
		var texts map[string]json.RawMessage
		if err := json.Unmarshal([]byte(s.openAPI[gv]), &texts); err != nil {
			return nil, fmt.Errorf("OpenAPI schemas of %s: %w", gv, err)
		}
		for name, text := range texts {
			if models[name] != nil {
				continue
			}
			model := new(spec.Schema)
			if err := json.Unmarshal(text, model); err != nil {
				return nil, fmt.Errorf("OpenAPI schemas of %s: %s: %w", gv, name, err)
			}
			models[name] = model
		}
	}
	types, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI schemas: %w", err)
	}
	return types, nil
}
