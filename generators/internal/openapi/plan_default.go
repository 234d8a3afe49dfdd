package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// explicitDefault is the default that a tag gives, above the field or above its type; nil if there
// is none.
func (m *models) explicitDefault(f field) json.RawMessage {
	own := m.from.OfField(f.owner, f.field.Name)
	if d := m.taggedDefault(f, own, f.owner.Name.Package); d != nil {
		return d
	}
	if d := m.kubebuilderDefault(f, own); d != nil {
		return d
	}
	for t := range model.Layers(f.field.Type) {
		m.readComments(t.Name.Package)
		if d := m.taggedDefault(f, m.from.OfType(t), t.Name.Package); d != nil {
			return d
		}
		if !m.resources { // controller-gen reads it on fields alone
			if d := m.kubebuilderDefault(f, m.from.OfType(t)); d != nil {
				return d
			}
		}
	}
	return nil
}

// taggedDefault reads the +default in comment lines of a package.
func (m *models) taggedDefault(f field, markers model.Markers, pkg string) json.RawMessage {
	text := value(markers, tagDefault)
	if text == "" {
		return nil
	}
	if name, ok := strings.CutPrefix(text, "ref("); ok {
		return m.referredDefault(f, text, strings.TrimSuffix(name, ")"), pkg)
	}
	if !json.Valid([]byte(text)) {
		m.defaultProblem(f, "+"+tagDefault+"="+text+" is not JSON",
			"a string needs its quotes, like +"+tagDefault+`="`+strings.Trim(text, `"'`)+`"`)
		return nil
	}
	if err := m.fitsField(json.RawMessage(text), f); err != nil {
		m.defaultProblem(f, "+"+tagDefault+"="+text+": "+err.Error(), "give a value of the field's type")
		return nil
	}
	return json.RawMessage(text)
}

// kubebuilderDefault reads the default that is written for controller-gen.
func (m *models) kubebuilderDefault(f field, markers model.Markers) json.RawMessage {
	text := value(markers, tagKubebuilderDefault)
	if text == "" {
		return nil
	}
	v, err := tagvalue.Read(text, m.jsonKind(f))
	if err == nil {
		err = m.fitsField(v, f)
	}
	if err != nil {
		m.defaultProblem(f, "+"+tagKubebuilderDefault+"="+text+": "+err.Error(), "give a value of the field's type")
		return nil
	}
	return v
}

// jsonKind is the JSON type of a field's values; "" if there may be several.
func (m *models) jsonKind(f field) string {
	if f.quoted {
		return ""
	}
	if s := m.toldSchema(f.markers, f.field.Type, f.place); s != nil {
		return s.Type
	}
	return m.jsonKindOf(f.field.Type)
}

// jsonKindOf is the JSON type of the values of a Go type; "" if there may be several.
func (m *models) jsonKindOf(of *types.Type) string {
	if s := m.declared(model.Pointee(of)); s != nil {
		return s.Type
	}
	return model.JSONKind(of)
}

// fitsField says in an error why a default is not of the type of a field, or a part of it not of
// the type of that part.
func (m *models) fitsField(v json.RawMessage, f field) error {
	kind := m.jsonKind(f)
	if err := tagvalue.Fits(v, kind); err != nil || f.quoted || m.toldSchema(f.markers, f.field.Type, f.place) != nil {
		return err
	}
	return m.fitsParts(v, f.field.Type)
}

// fitsParts looks into the items of a list and the values of a map. Those of structs are their own
// affair: a type may have fields that its schema does not show.
func (m *models) fitsParts(v json.RawMessage, of *types.Type) error {
	t := model.Plain(of)
	if t.Elem == nil || m.declared(model.Pointee(of)) != nil || writesOwnJSON(t) || writesOwnJSON(model.Pointee(of)) {
		return nil
	}
	kind := m.jsonKindOf(t.Elem)
	check := func(at string, part json.RawMessage) error {
		err := tagvalue.Fits(part, kind)
		if err == nil {
			err = m.fitsParts(part, t.Elem)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}
	switch m.jsonKindOf(of) {
	case "array":
		var items []json.RawMessage
		_ = json.Unmarshal(v, &items) // null has no items
		for i, item := range items {
			if err := check(fmt.Sprintf("[%d]", i), item); err != nil {
				return err
			}
		}
	case "object":
		var values map[string]json.RawMessage
		_ = json.Unmarshal(v, &values)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if err := check(fmt.Sprintf("[%q]", key), values[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// referredDefault is the constant that ref(Name) or ref(import/path.Name) names.
func (m *models) referredDefault(f field, text, name, pkg string) json.RawMessage {
	ref := types.ParseFullyQualifiedName(name)
	if ref.Package == "" {
		ref.Package = pkg
	}
	v := m.constant(ref)
	if v == nil {
		m.defaultProblem(f, fmt.Sprintf("+%s=%s: there is no constant %s", tagDefault, text, ref), "name a constant, as ref(Name) or ref(import/path.Name)")
	}
	return v
}

// defaultProblem leaves the word to the generator of defaults where the package has asked for it.
func (m *models) defaultProblem(f field, message, cure string) {
	if pkg := m.from.Package(f.owner.Name.Package); pkg == nil || !has(m.from.OfPackage(pkg), tagDefaulter) {
		m.fieldProblem(f.place, message, cure)
	}
}

// defaultOf is the default to publish: the explicit one, else what a value that JSON leaves out is
// read as, which Kubernetes publishes for whatever is always written.
func (m *models) defaultOf(f field) json.RawMessage {
	if d := m.explicitDefault(f); d != nil {
		return d
	}
	if m.resources || f.quoted || m.toldSchema(f.markers, f.field.Type, f.place) != nil {
		return nil // in a CustomResourceDefinition only the explicit ones stand; or its JSON is not that of its Go type
	}
	return m.zero(f.field.Type, f.omits)
}

func (m *models) zero(t *types.Type, omits bool) json.RawMessage {
	switch t.Kind {
	case types.Alias:
		if m.declared(t) == nil {
			return m.zero(t.Underlying, omits)
		}
	case types.Struct:
		switch {
		case m.declared(t) != nil:
		case len(t.Members) == 1 && t.Members[0].Embedded:
			return m.zero(t.Members[0].Type, omits)
		default:
			return json.RawMessage("{}")
		}
	case types.Builtin:
		switch {
		case omits:
		case isBuiltin(t, "string"):
			return json.RawMessage(`""`)
		case isBuiltin(t, "bool"):
			return json.RawMessage("false")
		default:
			return json.RawMessage("0")
		}
	}
	return nil
}
