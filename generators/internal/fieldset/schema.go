package fieldset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

// schemas are those of one package, as structured-merge-diff sees them.
type schemas struct {
	*smd.Schema
	kinds map[schema.GroupVersionKind]string // the names of their models
}

func readSchemas(texts map[string]json.RawMessage) (*schemas, error) {
	out := &schemas{kinds: map[schema.GroupVersionKind]string{}}
	for name, text := range texts {
		var is struct {
			Kinds []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
		}
		if err := json.Unmarshal(text, &is); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, gvk := range is.Kinds {
			out.kinds[gvk] = name
		}
	}
	var err error
	out.Schema, err = ReadSchema(texts)
	return out, err
}

// ReadSchema makes of schemas, by the names of their models, what structured-merge-diff sees in
// them.
func ReadSchema(texts map[string]json.RawMessage) (*smd.Schema, error) {
	models := map[string]*spec.Schema{}
	for name, text := range texts {
		model := new(spec.Schema)
		if err := json.Unmarshal(text, model); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		models[name] = model
	}
	out, err := schemaconv.ToSchemaFromOpenAPI(models, false)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out.Types, func(a, b smd.TypeDef) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range out.Types {
		sortFields(t.Atom)
	}
	return out, nil
}

// sortFields makes schemas of the same equal, whose fields come out of a map in any order.
func sortFields(a smd.Atom) {
	if a.List != nil {
		sortFields(a.List.ElementType.Inlined)
	}
	if a.Map == nil {
		return
	}
	slices.SortFunc(a.Map.Fields, func(a, b smd.StructField) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range a.Map.Fields {
		sortFields(f.Type.Inlined)
	}
	sortFields(a.Map.ElementType.Inlined)
}

// atom is what values of a type may be: a scalar, a list, a map or several of these.
func (s *schemas) atom(ref smd.TypeRef) smd.Atom {
	atom, _ := s.Resolve(ref)
	return atom
}

// whole says whether values are owned as a whole, whatever they are.
func whole(a smd.Atom) bool {
	return (a.List == nil || a.List.ElementRelationship == smd.Atomic) && (a.Map == nil || a.Map.ElementRelationship == smd.Atomic)
}

// field is the type of a field or an entry of a map. ok is false for one that the schema does not
// have: it has none inside a value that is published as no object.
func field(m *smd.Map, name string) (smd.TypeRef, bool) {
	if m == nil {
		return smd.TypeRef{}, false
	}
	if f, ok := m.FindField(name); ok {
		return f.Type, true
	}
	return m.ElementType, m.ElementType != (smd.TypeRef{})
}
