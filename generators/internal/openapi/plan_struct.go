package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// modelSchema is the schema of a struct that is published under a name of its own.
func (m *models) modelSchema(t *types.Type) *schema {
	m.readComments(t.Name.Package)
	s := m.declared(t)
	if s == nil {
		s = m.structSchema(t, t.Name.Name)
		s.doc = m.docOfType(t)
	}
	if text := describe(m.from.Doc(t)); text != "" || s.Description == "" {
		s.Description = text
	}
	once := s.Rules // of fields that are immutable once set
	s.Rules = nil
	m.structMarkers(t, s)
	s.Rules = slices.Concat(once, s.Rules)
	if m.resources {
		m.embedded(t, s)
	}
	s.GroupVersionKinds = m.kinds[t]
	return s
}

// structSchema is an object with the fields of t, those of embedded structs among them as
// encoding/json has it.
func (m *models) structSchema(t *types.Type, path string) *schema {
	s := &schema{Type: "object"}
	fields := map[string]field{}
	m.collect(t, path, 0, nil, fields)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f := fields[name]
		if s.Properties == nil {
			s.Properties = map[string]*schema{}
		}
		s.Properties[name] = m.property(f)
		s.Rules = append(s.Rules, m.immutableOnceSet(f, name)...)
		if f.required {
			s.Required = append(s.Required, name)
		}
		if m.resources && t.Name.Name != "" {
			m.hide(t.Name.String()+"."+name, f, s.Properties[name])
		}
	}
	return s
}

// hide notes what the schema of a member says that its Go value does not show.
func (m *models) hide(member string, f field, s *schema) {
	if unseen(f, s.Default) {
		m.hidden.Defaults[member] = string(s.Default)
	}
	if s.Nullable {
		m.hidden.Nullable[member] = true
	}
	if openRaw(f.field.Type, s) {
		m.hidden.Open[member] = true
	}
}

// deepestRaw is how many lists and maps around a RawExtension are looked through.
const deepestRaw = 4

// openRaw tells whether a type is a RawExtension, or a list or map of them, and a schema does not
// say that these are objects.
func openRaw(t *types.Type, s *schema) bool {
	for range deepestRaw {
		t = model.Pointee(t)
		if t.Name.String() == "k8s.io/apimachinery/pkg/runtime.RawExtension" {
			return s == nil || s.Type != "object" && s.refersTo() == ""
		}
		plain := model.Plain(t)
		switch {
		case plain.Elem == nil:
			return false
		case s != nil && plain.Kind == types.Map:
			s = s.AdditionalProperties
		case s != nil:
			s = s.Items
		}
		t = plain.Elem
	}
	return false
}

// unseen says whether a Go value does not tell the default of a field from the field's absence, or
// prints the default in other words. That is so of a struct that is no pointer, of what is zero,
// and of a type with its own JSON.
func unseen(f field, value json.RawMessage) bool {
	t := f.field.Type
	switch {
	case value == nil:
		return false
	case writesOwnJSON(model.Pointee(t)):
		return true
	case t.Kind == types.Pointer:
		return false
	}
	return model.Plain(t).Kind == types.Struct || slices.Contains([]string{`""`, "0", "false", "[]", "{}"}, string(value))
}

// collect puts the fields of t and of the structs embedded in it into fields, by their JSON names.
func (m *models) collect(t *types.Type, path string, depth int, within []*types.Type, fields map[string]field) {
	if slices.Contains(within, t) {
		return
	}
	m.readComments(t.Name.Package)
	within = append(within, t)
	for i := range t.Members {
		member := &t.Members[i]
		said, markers := model.JSONOf(*member), m.from.OfField(t, member.Name)
		if model.LeftOut(*member) || asks(markers, "false") {
			continue
		}
		if s := model.Pointee(member.Type); member.Embedded && said.Name == "" && s.Kind == types.Struct && m.declared(s) == nil {
			has(markers, tagOptional, tagK8sOptional, tagKubebuilderOptional) // of which its own fields know nothing
			m.collect(s, s.Name.Name, depth+1, within, fields)
			continue
		}
		name := cmp.Or(said.Name, member.Name)
		f := field{
			place:   place{owner: t, field: member, path: path + "." + member.Name},
			markers: m.kubebuilderMarkers(t, markers),
			depth:   depth,
			quoted:  said.Quoted,
			omits:   said.Omits(),
		}
		f.required = m.isRequired(f)
		switch other, taken := fields[name]; {
		case taken && other.depth < depth:
		case taken && other.depth == depth:
			m.fieldProblem(f.place, fmt.Sprintf("it has the JSON name %q, which %s has too, so JSON holds neither", name, other.path),
				"give one of them another name")
		default:
			fields[name] = f
		}
	}
}

// property is the schema of one field.
func (m *models) property(f field) *schema {
	s := m.fieldSchema(f)
	if f.quoted && (s.Type == "integer" || s.Type == "number" || s.Type == "boolean") {
		s = &schema{Type: "string"}
	}
	s.from = &f.place
	lines := m.from.DocOfField(f.owner, f.field.Name)
	s.Description = describe(append(slices.Clone(lines), m.enumDescription(f.field.Type)...))
	s.doc = cmp.Or(resourceDoc(lines), s.doc)
	m.fieldMarkers(f, s)
	m.limit(s, f.field.Type, m.from.OfField(f.owner, f.field.Name), f.place)
	s.Default = m.defaultOf(f)
	return s.wrapped()
}

// fieldSchema is what a tag says the field is, else what its type says.
func (m *models) fieldSchema(f field) *schema {
	if s := m.toldSchema(f.markers, f.field.Type, f.place); s != nil {
		return s
	}
	return m.use(f.field.Type, f.place)
}

// isRequired says whether a client has to write the field. A tag says it. Else a field that JSON
// always holds is required, unless the server fills in a default.
func (m *models) isRequired(f field) bool {
	markers := m.from.OfField(f.owner, f.field.Name)
	optional := has(markers, tagOptional, tagK8sOptional) || has(f.markers, tagKubebuilderOptional)
	required := has(markers, tagRequired, tagK8sRequired) || has(f.markers, tagKubebuilderRequired)
	if optional && required {
		m.fieldProblem(f.place, "it is tagged as optional and as required", "remove one of the tags")
	}
	switch {
	case m.resources:
		return m.resourceRequired(f, markers)
	case optional || required:
		return required
	case m.explicitDefault(f) != nil:
		return false
	}
	return m.requiredByPackage(f)
}

// requiredByPackage says it for a field about which nothing is said: the package may, with one of
// kubebuilder's markers, else it is what JSON always holds.
func (m *models) requiredByPackage(f field) bool {
	if pkg := m.from.Package(f.owner.Name.Package); pkg != nil && pkg.Main {
		switch markers := m.kubebuilderMarkers(f.owner, m.from.OfPackage(pkg)); {
		case has(markers, tagKubebuilderOptional):
			return false
		case has(markers, tagKubebuilderRequired):
			return !f.omits
		}
	}
	return !f.omits
}

// embedded joins to the schema of a struct what the types say that are embedded in it, and the
// markers where they are.
func (m *models) embedded(t *types.Type, s *schema) {
	own := s.Rules
	s.Rules = nil
	for i := range t.Members {
		member := &t.Members[i]
		inner := model.Inlined(*member)
		if inner == nil || model.LeftOut(*member) || m.declared(inner) != nil {
			continue
		}
		m.readComments(inner.Name.Package)
		said := &schema{Type: "object"}
		m.structMarkers(inner, said)
		m.embedded(inner, said)
		m.limit(said, inner, m.from.OfField(t, member.Name), place{owner: t, field: member, path: t.Name.Name + "." + member.Name})
		said.Unions, said.Extensions, said.Title, said.Example, said.ExternalDocs = nil, nil, "", nil, nil
		s.join(said)
	}
	s.Rules = slices.Concat(own, s.Rules)
}

// immutableOnceSet is the rule of the struct around an immutable field that may be left out. A rule
// of the field itself is not looked at when the field is taken away.
func (m *models) immutableOnceSet(f field, name string) []rule {
	if f.required || !has(m.kubebuilderMarkers(f.owner, m.from.OfField(f.owner, f.field.Name)), tagImmutable) {
		return nil
	}
	cel := celName(name)
	return []rule{{Rule: "!has(oldSelf." + cel + ") || has(self." + cel + ")", Message: "field " + name + " is immutable once set"}}
}

// celName is the name of a property in CEL, which escapes what its grammar can't have.
func celName(name string) string {
	if slices.Contains(celReserved, name) {
		return "__" + name + "__"
	}
	return strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__").Replace(name)
}

// celReserved are words of CEL that are no names.
var celReserved = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if",
	"import", "let", "loop", "package", "namespace", "return",
}
