package openapi

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// Kinds that a server of the run serves, and that are not Kubernetes' own, are published as
// controller-gen puts them into a CustomResourceDefinition. What differs from the schemas that
// openapi-gen makes is in this file, and where resources is asked for.

// resourceBuiltin is the schema of a basic type in a CustomResourceDefinition: of numbers only
// those have a format that say their size.
func (m *models) resourceBuiltin(name string) *schema {
	if !m.resources {
		return nil
	}
	switch name {
	case "string":
		return &schema{Type: "string"}
	case "bool":
		return &schema{Type: "boolean"}
	case "int32", "uint32", "rune":
		return &schema{Type: "integer", Format: "int32"}
	case "int64", "uint64":
		return &schema{Type: "integer", Format: "int64"}
	case "int", "int8", "int16", "uint", "uint8", "uint16", "byte":
		return &schema{Type: "integer"}
	case "float32", "float64":
		return &schema{Type: "number"}
	}
	return nil
}

// quantityPattern is what a CustomResourceDefinition lets a quantity look like.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// resourceDeclared is the schema of a type of Kubernetes that writes its own JSON; nil for all
// others, and for those that have the same everywhere.
func (m *models) resourceDeclared(t *types.Type) *schema {
	if !m.resources {
		return nil
	}
	intOrString := &schema{IntOrString: true, AnyOf: []*schema{{Type: "integer"}, {Type: "string"}}}
	switch t.Name.String() {
	case "k8s.io/apimachinery/pkg/api/resource.Quantity":
		intOrString.Pattern = quantityPattern
		return intOrString
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString":
		return intOrString
	case "k8s.io/apimachinery/pkg/runtime.RawExtension":
		return &schema{Type: "object", PreserveUnknown: true}
	case metaV1 + "/unstructured.Unstructured":
		return &schema{Type: "object"}
	}
	return nil
}

// resourceTold is what markers of a CustomResourceDefinition say instead of the Go type; nil if
// they say nothing.
func (m *models) resourceTold(markers model.Markers, of *types.Type) *schema {
	switch {
	case !m.resources:
	case has(markers, tagIntOrString):
		if of != nil {
			if s := m.declared(model.Pointee(of)); s != nil && s.IntOrString {
				return s
			}
		}
		return &schema{IntOrString: true}
	case has(markers, tagSchemaless):
		return &schema{Type: tagvalue.Bare(value(markers, tagType))}
	}
	return nil
}

// resourceRequired says whether a client has to send the field, as controller-gen finds it out: a
// default takes nothing away, since it is there when the object is judged.
func (m *models) resourceRequired(f field, markers model.Markers) bool {
	switch {
	case has(f.markers, tagKubebuilderOptional):
		return false
	case has(f.markers, tagKubebuilderRequired):
		return true
	case has(markers, tagOptional, tagK8sOptional):
		return false
	case has(markers, tagRequired, tagK8sRequired):
		return true
	}
	pkg := m.from.Package(f.owner.Name.Package)
	if pkg != nil && has(m.kubebuilderMarkers(f.owner, m.from.OfPackage(pkg)), tagKubebuilderOptional) {
		return false
	}
	return !f.omits
}

// resourceDoc turns comment lines into a description as controller-gen does: the lines stay as
// they are, without markers and one-line TODOs, up to "---".
func resourceDoc(lines []string) string {
	lines = withoutMarkers(lines)
	var out []string
	inCode := false
	for _, line := range lines {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			inCode = !inCode
		}
		if !inCode && strings.HasPrefix(line, "---") {
			break
		}
		if inCode || !strings.HasPrefix(line, "TODO") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// withoutMarkers leaves markers out, and the empty lines that would then be at an end or doubled.
func withoutMarkers(lines []string) []string {
	var out []string
	for _, line := range lines {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "+"):
		case line == "" && (len(out) == 0 || out[len(out)-1] == ""):
		default:
			out = append(out, line)
		}
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// docOfType is what the comment above a type says, or above one that it is named after.
func (m *models) docOfType(t *types.Type) (text string) {
	for _, of := range m.from.NamedChain(t) {
		text = cmp.Or(text, resourceDoc(m.from.Doc(of)))
	}
	return text
}

// merge adds to s, the schema of a type, what is said where the type is used, or above a type that
// is named after it.
func (m *models) merge(s, own *schema) {
	if m.resources {
		s.join(own)
	} else {
		s.narrow(own)
	}
}

// reformat takes away the formats that say the size of a number in Go, where own has others. A
// named type keeps its own, beside that of the field.
func (s *schema) reformat(own *schema, t *types.Type) {
	if s == nil || own == nil || t == nil {
		return
	}
	if t = model.Pointee(t); t.Kind == types.Alias {
		return
	}
	if own.Format != "" {
		s.Format = ""
	}
	s.Items.reformat(own.Items, t.Elem)
	s.AdditionalProperties.reformat(own.AdditionalProperties, t.Elem)
}

// join is narrow as controller-gen does it: where both say something about one thing, both stay, as
// branches of an allOf. So each is there to be read, and both hold.
func (s *schema) join(other *schema) {
	var mine, others schema
	differ := false
	to, from := reflect.ValueOf(s).Elem(), reflect.ValueOf(other).Elem()
	for i := range to.NumField() {
		name := to.Type().Field(i).Name
		a, b := to.Field(i), from.Field(i)
		switch {
		case !a.CanSet() || b.IsZero():
		case slices.Contains(joinedApart, name):
		case a.IsZero() || slices.Contains(replaced, name):
			a.Set(b)
		case reflect.DeepEqual(a.Interface(), b.Interface()):
		default:
			differ = true
			reflect.ValueOf(&mine).Elem().Field(i).Set(a)
			reflect.ValueOf(&others).Elem().Field(i).Set(b)
			a.SetZero()
		}
	}
	s.doc = cmp.Or(other.doc, s.doc)
	s.AllOf = append(s.AllOf, other.AllOf...)
	if differ {
		s.AllOf = append(s.AllOf, &mine, &others)
	}
	s.Rules = slices.Concat(other.Rules, s.Rules)
	s.Required = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Required, other.Required))))
	if len(other.Enum) > 0 {
		s.Enum = inBoth(s.Enum, other.Enum)
	}
	s.joinParts(other)
}

// joinedApart are the fields of a schema that join has words of its own for, replaced those of
// which the later one counts.
var (
	joinedApart = []string{"AllOf", "Rules", "Required", "Enum", "Items", "AdditionalProperties", "Properties"}
	replaced    = []string{"Title", "Description", "Example", "ExternalDocs", "Default", "MapType", "ListType", "ListMapKeys", "Type"}
)

// joinParts joins what lies in s.
func (s *schema) joinParts(other *schema) {
	joined := func(mine, others *schema) *schema {
		switch {
		case mine == nil:
			return others
		case others == nil:
			return mine
		}
		mine.join(others)
		return mine.wrapped()
	}
	s.Items = joined(s.Items, other.Items)
	s.AdditionalProperties = joined(s.AdditionalProperties, other.AdditionalProperties)
	for name, property := range other.Properties {
		if s.Properties == nil {
			s.Properties = map[string]*schema{}
		}
		s.Properties[name] = joined(s.Properties[name], property)
	}
}
