package openapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// part is a value, or something in it, that a constraint is about.
type part struct {
	own  *schema // takes what the comment says
	base *schema // what is known without the comment
	t    *types.Type
}

// limit narrows s, the schema of values of type t, by the constraints that markers give at a place.
// All three families of tags count.
func (m *models) limit(s *schema, t *types.Type, markers model.Markers, at place) {
	if markers.None() {
		return
	}
	kube := m.kubebuilderMarkers(at.owner, markers)
	whole := part{own: &schema{}, base: s, t: t}
	for _, mark := range slices.Concat(kubebuilderMarks(kube), openapiMarks(markers), declarativeMarks(markers)) {
		if p, ok := m.descend(whole, mark, at); ok {
			m.apply(p, mark, at)
		}
	}
	m.checkRules(whole.own, at)
	m.kubebuilderRules(whole, kube, at)
	if m.resources {
		of := t
		if t == at.owner && t.Kind == types.Alias {
			of = t.Underlying
		}
		s.reformat(whole.own, of)
	}
	m.merge(s, whole.own)
	m.contradictions(s, at)
	m.describeMore(s, kube, at)
}

// kubebuilderMarkers are the markers among which kubebuilder's count. Kubernetes' own types carry
// them too, for those who make CRDs. Its own kinds are published by the other tags alone, and all
// other kinds with them, as they are judged.
func (m *models) kubebuilderMarkers(owner *types.Type, markers model.Markers) model.Markers {
	if strings.HasPrefix(owner.Name.Package, "k8s.io/") && m.kubernetes {
		return model.Markers{}
	}
	return markers
}

// descend follows the path of a mark.
func (m *models) descend(p part, mark mark, at place) (part, bool) {
	for _, step := range mark.path {
		kind := m.kindOf(p)
		isMap := p.base.AdditionalProperties != nil
		switch {
		case step.kind != "properties" && kind == "array" && p.base.Items != nil && step.kind != "additionalProperties":
			if p.own.Items == nil {
				p.own.Items = &schema{}
			}
			p = part{p.own.Items, p.base.Items, model.Plain(p.t).Elem}
		case (step.kind == "each" || step.kind == "additionalProperties") && isMap:
			if p.own.AdditionalProperties == nil {
				p.own.AdditionalProperties = &schema{}
			}
			p = part{p.own.AdditionalProperties, p.base.AdditionalProperties, model.Plain(p.t).Elem}
		case step.kind == "properties" && model.Plain(p.t).Kind == types.Struct && kind == "object":
			next, ok := m.propertyPart(p, step.name, at)
			if !ok {
				m.fieldProblem(at, fmt.Sprintf("+%s: %s has no field with the JSON name %q", mark.tag, p.t.Name.Name, step.name), "name a field as JSON has it")
				return part{}, false
			}
			p = next
		default:
			m.misfitMark(at, mark, fmt.Sprintf("+%s is for something in %s, and this is %s", mark.tag, container(step.kind), m.named(p)), "remove the tag")
			return part{}, false
		}
	}
	return p, true
}

func container(step string) string {
	return map[string]string{"items": "a list", "each": "a list or a map", "additionalProperties": "a map", "properties": "a struct"}[step]
}

// propertyPart is a field of a struct.
func (m *models) propertyPart(p part, name string, at place) (part, bool) {
	fields := map[string]field{}
	m.collect(model.Plain(p.t), at.path, 0, nil, fields)
	f, ok := fields[name]
	if !ok {
		return part{}, false
	}
	if p.own.Properties == nil {
		p.own.Properties = map[string]*schema{}
	}
	if p.own.Properties[name] == nil {
		p.own.Properties[name] = &schema{}
	}
	return part{p.own.Properties[name], m.use(f.field.Type, f.place), f.field.Type}, true
}

// kindOf is the JSON type of a value, "" if it may have several.
func (m *models) kindOf(p part) string {
	switch {
	case p.base.Ref == "":
		return p.base.Type
	case p.t == nil:
		return ""
	}
	if d := m.declared(model.Pointee(p.t)); d != nil {
		return d.Type
	}
	return "object"
}

// named is what messages call a value.
func (m *models) named(p part) string {
	kind := m.kindOf(p)
	switch {
	case kind == "array":
		return "a list"
	case kind == "object" && model.Plain(p.t).Kind == types.Map:
		return "a map"
	case kind == "object":
		return "a struct"
	case kind == "":
		return "a " + p.t.String()
	}
	return tagvalue.Article(kind)
}

// apply puts what a mark says into its part.
func (m *models) apply(p part, mark mark, at place) {
	wrong := func(err error, cure string) {
		m.fieldProblem(at, fmt.Sprintf("%s: %v", mark, err), cure)
	}
	if strings.HasPrefix(mark.name, "cel[") {
		if err := p.own.setRule(mark); err != nil {
			wrong(err, "want cel[0]:rule and cel[0]:message, then cel[1]:rule and so on")
		}
		return
	}
	l, known := limits[mark.name]
	if !known {
		m.fieldProblem(at, fmt.Sprintf("+%s: no constraint is called %q", mark.tag, mark.name), suggestLimit(mark.name))
		return
	}
	kind := m.kindOf(p)
	if kind != "" && l.on != nil && !slices.Contains(l.on, kind) {
		m.misfitMark(at, mark, fmt.Sprintf("+%s is for %s, and this is %s", mark.tag, plural(l.on), m.named(p)), m.insteadOf(p, l, mark))
		return
	}
	if mark.name == "enum" {
		m.applyEnum(p, kind, mark, at)
		return
	}
	value, err := mark.value(l.value)
	if err == nil {
		err = l.set(p.own, value)
	}
	if err != nil {
		wrong(err, "write it like +"+mark.tag+"="+l.example)
	}
}

func (m *models) applyEnum(p part, kind string, mark mark, at place) {
	if kind == "array" {
		m.misfit(at, "+"+mark.tag+" is for single values, and this is a list", m.insteadOf(p, limits["enum"], mark))
		return
	}
	read := tagvalue.Items
	if mark.json {
		read = tagvalue.JSONItems
	}
	items, err := read(mark.text, kind)
	if err != nil {
		m.fieldProblem(at, fmt.Sprintf("%s: %v", mark, err), "write it like +"+mark.tag+"="+enumExample(kind, mark.json))
		return
	}
	p.own.Enum = items
}

func enumExample(kind string, json bool) string {
	switch number := kind == "integer" || kind == "number"; {
	case json && number:
		return "[1,2]"
	case json:
		return `["A","B"]`
	case number:
		return "1;2"
	}
	return "A;B"
}

// insteadOf is the cure for a constraint on a list that its items could have.
func (m *models) insteadOf(p part, l limit, mark mark) string {
	rest, isKubebuilder := strings.CutPrefix(mark.tag, kubebuilderFamily)
	if !isKubebuilder || p.base.Items == nil {
		return "remove the tag"
	}
	items := part{&schema{}, p.base.Items, model.Plain(p.t).Elem}
	if kind := m.kindOf(items); l.on != nil && !slices.Contains(l.on, kind) {
		return "remove the tag"
	}
	cure := "use +" + kubebuilderFamily + "items:" + rest
	if mark.text != "" {
		cure += "=" + mark.text
	}
	return cure
}

func suggestLimit(name string) string {
	var names []string
	for n := range limits {
		names = append(names, n)
	}
	slices.Sort(names)
	if near := tag.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %s?", strconv.Quote(near))
	}
	return "want " + list(names, "or")
}

func plural(kinds []string) string {
	names := map[string]string{"integer": "integers", "number": "numbers", "string": "strings", "array": "lists", "object": "maps and structs"}
	var out []string
	for _, k := range kinds {
		out = append(out, names[k])
	}
	return list(out, "and")
}

// contradictions reports limits that nothing fulfils, in s and in what lies in it.
func (m *models) contradictions(s *schema, at place) {
	if s == nil {
		return
	}
	if text := s.contradiction(); text != "" {
		m.fieldProblem(at, text, "change one of them")
	}
	m.contradictions(s.Items, at)
	m.contradictions(s.AdditionalProperties, at)
}
