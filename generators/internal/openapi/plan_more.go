package openapi

import (
	"fmt"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// describeMore takes the markers into a schema that say what a value is, and not which values are
// allowed.
func (m *models) describeMore(s *schema, markers model.Markers, at place) {
	if v := value(markers, tagTitle); v != "" {
		s.Title = tagvalue.Bare(v)
	}
	if v := value(markers, tagExample); v != "" {
		example, err := tagvalue.Read(v, s.Type)
		if err != nil {
			m.fieldProblem(at, fmt.Sprintf("+%s=%s: %v", tagExample, v, err), "give a value of the field's type")
		}
		s.Example = example
	}
	m.externalDocs(s, markers, at)
	describeItems(s, markers)
	s.PreserveUnknown = s.PreserveUnknown || has(markers, tagPreserveUnknown, tagXPreserveUnknown)
	if has(markers, tagEmbeddedResource, tagXEmbeddedResource) {
		if s.Type != "object" && s.Ref == "" && s.Type != "" {
			m.misfit(at, fmt.Sprintf("+%s is for objects, and this is %s", tagEmbeddedResource, tagvalue.Article(s.Type)), "remove the tag")
			return
		}
		if s.Ref == "" && !m.resources {
			s.Type = "object"
		}
		s.EmbeddedResource = true
	}
}

// describeItems takes the markers into the schema of a list that say what its items are.
func describeItems(s *schema, markers model.Markers) {
	if s.Items == nil {
		return // the generator of validation says so
	}
	items := s.Items
	if kind := tagvalue.Bare(value(markers, tagItemsType)); items.Type == "" {
		items.Type = kind
	}
	items.PreserveUnknown = has(markers, tagItemsPreserve) || items.PreserveUnknown
	items.EmbeddedResource = has(markers, tagItemsEmbedded) || items.EmbeddedResource
	s.Items = items.wrapped()
}

func (m *models) externalDocs(s *schema, markers model.Markers, at place) {
	said, err := markers.Arguments(tagExternalDocs)
	for _, arguments := range said {
		s.ExternalDocs = &externalDocs{}
		for _, a := range arguments {
			switch a.Key {
			case "url":
				s.ExternalDocs.URL = a.Value
			case "description":
				s.ExternalDocs.Description = a.Value
			default:
				err = fmt.Errorf("+%s has no %q", tagExternalDocs, a.Key)
			}
		}
		if s.ExternalDocs.URL == "" && err == nil {
			err = fmt.Errorf("+%s has no url", tagExternalDocs)
		}
	}
	if err != nil {
		m.fieldProblem(at, err.Error(), "write it like +"+tagExternalDocs+`:url="https://example.com",description="more"`)
	}
}

// toldSchema is what markers say instead of the Go type: a JSON type, that there are two of them,
// or that there is no schema at all. Nil if they say nothing. of is the type of a field, nil for a
// type that its own markers tell about.
func (m *models) toldSchema(markers model.Markers, of *types.Type, at place) *schema {
	if s := m.resourceTold(markers, of); s != nil {
		return s
	}
	text, said := markers.Last(tagType)
	switch kind := tagvalue.Bare(text); {
	case has(markers, tagIntOrString):
		return &schema{IntOrString: true, AnyOf: []*schema{{Type: "integer"}, {Type: "string"}}}
	case has(markers, tagSchemaless):
		has(markers, tagPreserveUnknown, tagXPreserveUnknown) // which says no more
		return &schema{PreserveUnknown: true}
	case said && kind == "" && (of == nil && writesOwnJSON(at.owner) || of != nil && writesOwnJSON(model.Pointee(of))):
		return &schema{PreserveUnknown: true}
	case kind != "":
		if !slices.Contains(jsonTypes, kind) {
			m.fieldProblem(at, fmt.Sprintf("+%s=%s: there is no such JSON type", tagType, kind), "want "+list(jsonTypes, "or"))
		}
		if kind == m.ownKind(of, at) {
			return nil // the Go type says that, and more
		}
		return &schema{Type: kind}
	}
	return nil
}

// ownKind is the JSON type of a field's values, or of those of a type at a place, as Go has them.
// It is "" for a type that is known by its name.
func (m *models) ownKind(of *types.Type, at place) string {
	switch {
	case of == nil:
		return model.JSONKind(at.owner)
	case m.declared(model.Pointee(of)) != nil:
		return ""
	}
	return model.JSONKind(of)
}

var jsonTypes = []string{"string", "integer", "number", "boolean", "object", "array"}
