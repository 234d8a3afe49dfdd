package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// structMarkers takes the tags above a struct into its schema.
func (m *models) structMarkers(t *types.Type, s *schema) {
	if v := value(m.from.OfType(t), tagStructType); v != "" {
		s.MapType = m.oneOf(place{owner: t, path: t.Name.Name}, tagStructType, v, "atomic", "granular")
	}
	if s.Type == "object" {
		s.Unions = m.unionsOf(t)
	}
	s.Extensions = m.extensions(m.from.OfType(t), place{owner: t, path: t.Name.Name})
	for _, of := range slices.Backward(m.from.NamedChain(t)) {
		m.limit(s, of, m.from.OfType(of), place{owner: of, path: of.Name.Name})
	}
}

// extensions are those that +k8s:openapi-gen=x-kubernetes-name:value adds.
func (m *models) extensions(markers model.Markers, at place) map[string]string {
	var out map[string]string
	for _, text := range markers.Values(tagGen) {
		name, value, ok := strings.Cut(text, ":")
		switch {
		case text == "true", text == "false":
		case !ok || !strings.HasPrefix(name, "x-kubernetes-"):
			m.fieldProblem(at, fmt.Sprintf("+%s=%s: want true, false, or an extension", tagGen, text), "write an extension like +"+tagGen+"=x-kubernetes-name:value")
		default:
			if out == nil {
				out = map[string]string{}
			}
			out[name] = value
		}
	}
	return out
}

// fieldMarkers takes the tags above a field into its schema.
func (m *models) fieldMarkers(f field, s *schema) {
	markers := m.from.OfField(f.owner, f.field.Name)
	s.Nullable = has(markers, tagNullable)
	m.listMarkers(f.field.Type, markers, f.place, s)
	m.patchMarkers(f, s)
	for _, tag := range []string{tagMapType, tagStructType} {
		if v := value(markers, tag); v != "" && m.suits(f.field.Type, f.place, tag, map[string]types.Kind{tagMapType: types.Map, tagStructType: types.Struct}[tag]) {
			s.MapType = m.oneOf(f.place, tag, v, "atomic", "granular")
		}
	}
	s.Extensions = m.extensions(markers, f.place)
}

// listMarkers takes the tags into the schema of a list that say how it merges: those above a field,
// or above the type of lists.
func (m *models) listMarkers(of *types.Type, markers model.Markers, at place, s *schema) {
	kind := value(markers, tagListType, tagK8sListType)
	keys := append(markers.Values(tagListMapKey), markers.Values(tagK8sListMapKey)...)
	switch {
	case kind == "" && len(keys) == 0:
		return
	case kind == "atomic" && len(keys) == 0 && !isList(of):
		return // what is no list is replaced as a whole anyway
	case !m.suits(of, at, tagListType, types.Slice):
		return
	case kind == "atomic" && value(markers, tagK8sUnique) == "map":
		keys = nil // they tell which items are equal, not how the list merges
	case kind == "":
		m.fieldProblem(at, "+listMapKey is for lists of type map", "add +listType=map, or remove the key")
		return
	case kind == "map" && len(keys) == 0:
		m.fieldProblem(at, "a list of type map needs to know which fields tell its items apart", "add +listMapKey= with the JSON name of a field")
	case kind != "map" && len(keys) > 0:
		m.fieldProblem(at, "+listMapKey is for lists of type map", "add +listType=map, or remove the key")
	}
	for _, key := range markers.Values(tagListMapKey) { // those of +k8s:listMapKey are checked where they are compiled
		m.checkKey(of, at, key)
	}
	s.ListType, s.ListMapKeys = m.oneOf(at, tagListType, kind, "atomic", "set", "map"), nil
	for _, key := range keys { // the two tags often say the same
		if !slices.Contains(s.ListMapKeys, key) {
			s.ListMapKeys = append(s.ListMapKeys, key)
		}
	}
}

// checkKey reports a key that the items of a list don't have.
func (m *models) checkKey(of *types.Type, at place, key string) {
	item := model.Pointee(model.Plain(of).Elem)
	switch s := model.Plain(item); {
	case s.Kind != types.Struct:
		m.fieldProblem(at, fmt.Sprintf("only structs have keys, and the items of this list are %s", item), "use +listType=set or atomic")
	case m.declared(item) == nil:
		fields := map[string]field{}
		m.collect(s, at.path, 0, nil, fields)
		if _, ok := fields[key]; ok {
			return
		}
		cure := "name a field as JSON has it"
		if near := tag.Nearest(key, slices.Sorted(maps.Keys(fields))); near != "" {
			cure = fmt.Sprintf("did you mean %s?", near)
		}
		m.fieldProblem(at, fmt.Sprintf("+listMapKey=%s: %s has no field with that JSON name", key, item.Name.Name), cure)
	}
}

// patchMarkers reads how strategic merge patches treat the field, from tags in its comment or in
// its struct tag.
func (m *models) patchMarkers(f field, s *schema) {
	read := func(tag string) string {
		comment := value(m.from.OfField(f.owner, f.field.Name), tag)
		structTag, _ := model.StructTag(*f.field, tag)
		if comment != "" && structTag != "" && comment != structTag {
			m.fieldProblem(f.place, fmt.Sprintf("+%s=%s in the comment and %s:%q in the struct tag differ", tag, comment, tag, structTag), "make them the same")
		}
		if comment == "" {
			return structTag
		}
		return comment
	}
	s.PatchStrategy, s.PatchMergeKey = read(tagPatchStrategy), read(tagPatchMergeKey)
}

// suits reports a tag on a field of another kind than it is for.
func (m *models) suits(of *types.Type, at place, tag string, want types.Kind) bool {
	if model.Plain(of).Kind == want || want == types.Slice && isList(of) {
		return true
	}
	name := map[types.Kind]string{types.Slice: "lists", types.Map: "maps", types.Struct: "structs"}[want]
	m.misfit(at, fmt.Sprintf("+%s is for %s, and this is a %s", tag, name, of), "remove the tag")
	return false
}

func isList(t *types.Type) bool {
	kind := model.Plain(t).Kind
	return kind == types.Slice || kind == types.Array
}

// oneOf reports a value that a tag doesn't know, and returns the others.
func (m *models) oneOf(at place, tag, got string, want ...string) string {
	if slices.Contains(want, got) {
		return got
	}
	m.fieldProblem(at, fmt.Sprintf("+%s=%s: no such value", tag, got), "want "+strings.Join(want, ", "))
	return ""
}
