package openapi

import (
	"fmt"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

func (m *models) mapSchema(t *types.Type, at place) *schema {
	if key := model.Plain(t.Key); key.Kind != types.Builtin || isBuiltin(key, "bool", "float32", "float64") {
		m.fieldProblem(at, fmt.Sprintf("a map with keys of type %s can't be written as JSON", t.Key), "use keys of type string")
	}
	return &schema{Type: "object", AdditionalProperties: m.use(t.Elem, at)}
}

// builtin follows Kubernetes, except that int and uint are 64 bits wide, which is what they are on
// the wire.
func (m *models) builtin(t *types.Type, at place) *schema {
	if s := m.resourceBuiltin(t.Name.Name); s != nil {
		return s
	}
	switch t.Name.Name {
	case "string":
		return &schema{Type: "string"}
	case "bool":
		return &schema{Type: "boolean"}
	case "byte", "uint8", "int8":
		return &schema{Type: "integer", Format: "byte"}
	case "int16", "int32", "uint16":
		return &schema{Type: "integer", Format: "int32"}
	case "int", "int64", "uint", "uint32", "uint64":
		return &schema{Type: "integer", Format: "int64"}
	case "float32":
		return &schema{Type: "number", Format: "float"}
	case "float64":
		return &schema{Type: "number", Format: "double"}
	}
	m.fieldProblem(at, fmt.Sprintf("values of type %s can't be written as JSON", t), "use an integer, a float, a bool or a string")
	return &schema{}
}

// writesOwnJSON says whether the JSON of a type is made by its own code, so that its fields say
// nothing about it.
func writesOwnJSON(t *types.Type) bool {
	return model.Method(t, "MarshalJSON") && t.Kind != types.Interface
}

// believed says whether the fields of a type that writes its own JSON are taken to say what it
// looks like. They are if it is a struct that names them for JSON, which is what openapi-gen prints
// too.
func (m *models) believed(t *types.Type, at place) bool {
	promoted := t.Methods["MarshalJSON"] == nil
	if t.Kind != types.Struct || promoted || !slices.ContainsFunc(t.Members, func(f types.Member) bool {
		return model.JSONOf(f).Name != "" && !model.LeftOut(f)
	}) {
		return false
	}
	const message = "has a MarshalJSON; its schema is that of its fields"
	const cure = "if its JSON looks otherwise, say so above the %s, like +" + tagType + "=string"
	if m.ours(t) {
		m.report.Warn(diag.Problem{Pos: m.from.TypePos(t), Path: t.Name.Name, Message: "it " + message, Cure: fmt.Sprintf(cure, "type")})
	} else if m.ours(at.owner) {
		m.report.Warn(diag.Problem{Pos: m.posOf(at), Path: at.path, Message: t.String() + " " + message, Cure: fmt.Sprintf(cure, "field")})
	}
	return true
}

// undescribed is a value whose JSON nothing describes. For the types of this module and for the
// fields that use others that is a problem.
func (m *models) undescribed(t *types.Type, at place) *schema {
	const message = "has a MarshalJSON, so its fields don't say what its JSON looks like"
	if m.ours(t) {
		m.problem(m.from.TypePos(t), t.Name.Name, "it "+message, "say it above the type, like +"+tagType+"=string")
	} else {
		m.fieldProblem(at, t.String()+" "+message, "say it above the field, like +"+tagType+"=string")
	}
	return &schema{PreserveUnknown: true}
}

func isBuiltin(t *types.Type, names ...string) bool {
	return t.Kind == types.Builtin && slices.Contains(names, t.Name.Name)
}

// use is the schema of a value of type t at a place: a reference for structs that have a name, else
// the thing itself.
func (m *models) use(t *types.Type, at place) *schema {
	for t.Kind == types.Pointer {
		t = t.Elem
	}
	if slices.Contains(m.using, t) {
		m.fieldProblem(at, model.ShortName(t)+" is made of itself, for which a schema has no word", "put a struct with a name between")
		return &schema{}
	}
	if t.Kind == types.Alias {
		m.using = append(m.using, t)
		defer func() { m.using = m.using[:len(m.using)-1] }()
	}
	if s := m.declared(t); s != nil {
		if t.Kind == types.Struct && t.Name.Package != "time" {
			return refTo(m.model(t))
		}
		m.limit(s, t, m.from.OfType(t), place{owner: t, path: t.Name.Name})
		return s
	}
	if writesOwnJSON(t) && !m.believed(t, at) {
		return m.undescribed(t, at)
	}
	switch t.Kind {
	case types.Alias:
		s := m.use(t.Underlying, at)
		s.doc = m.docOfType(t)
		chain := m.from.NamedChain(t)
		for _, of := range slices.Backward(chain) { // what a type is named after limits it, too
			s.Enum = append(s.Enum, m.enumOf(of)...)
			m.limit(s, of, m.from.OfType(of), place{owner: of, path: of.Name.Name})
			if m.resources {
				m.listMarkers(of, m.from.OfType(of), place{owner: of, path: of.Name.Name}, s)
			}
		}
		return s
	case types.Builtin:
		return m.builtin(t, at)
	case types.Struct:
		if t.Name.Package == "" {
			return m.structSchema(t, at.path)
		}
		return refTo(m.model(t))
	case types.Slice:
		if model.IsBytes(t) {
			return &schema{Type: "string", Format: "byte"}
		}
		return &schema{Type: "array", Items: m.use(t.Elem, at)}
	case types.Array:
		return &schema{Type: "array", Items: m.use(t.Elem, at)}
	case types.Map:
		return m.mapSchema(t, at)
	case types.Interface:
		return &schema{PreserveUnknown: true}
	}
	m.fieldProblem(at, fmt.Sprintf("values of type %s can't be written as JSON", t), `leave it out with json:"-"`)
	return &schema{}
}

// declared is the schema of a type that writes its own JSON, so that its fields say nothing; nil
// for all others.
func (m *models) declared(t *types.Type) *schema {
	if s := m.resourceDeclared(t); s != nil {
		return s
	}
	switch t.Name.String() {
	case "time.Time", metaV1 + ".Time", metaV1 + ".MicroTime":
		return &schema{Type: "string", Format: "date-time"}
	case metaV1 + ".Duration":
		return &schema{Type: "string"}
	case "encoding/json.Number":
		return &schema{Type: "number"}
	case "k8s.io/apimachinery/pkg/api/resource.Quantity":
		return &schema{OneOf: []*schema{{Type: "string"}, {Type: "number"}}}
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString":
		return &schema{Format: "int-or-string", OneOf: []*schema{{Type: "integer"}, {Type: "string"}}}
	case "k8s.io/apimachinery/pkg/runtime.RawExtension", "k8s.io/apimachinery/pkg/runtime.Unknown", metaV1 + ".FieldsV1":
		return &schema{Type: "object"}
	case "encoding/json.RawMessage",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON":
		return &schema{PreserveUnknown: true}
	}
	if t.Name.Package == "" || t.Kind == types.Interface {
		return nil
	}
	m.readComments(t.Name.Package)
	if s := m.toldSchema(m.kubebuilderMarkers(t, m.from.OfType(t)), nil, place{owner: t, path: t.Name.Name}); s != nil {
		return s
	}
	if s := m.hooked(t); s != nil {
		return s
	}
	if t.Methods["MarshalJSON"] == nil && t.Methods["MarshalText"] != nil {
		return &schema{Type: "string"}
	}
	// A struct writes the JSON of an embedded type that writes its own.
	for i := range t.Members {
		if f := t.Members[i]; f.Embedded && t.Methods["MarshalJSON"] == nil && (model.JSONOf(f).Name == "" && !model.LeftOut(f) || model.Method(model.Pointee(f.Type), "MarshalJSON")) {
			if s := m.declared(t.Members[i].Type); s != nil {
				return s
			}
		}
	}
	return nil
}
