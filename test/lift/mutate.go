package lift

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// mutation is one change of a document.
type mutation struct {
	path string // of what was changed, with indexes, like spec.rules[0].name
	what string // the change, for people
	doc  map[string]any
}

// mutations are changes of a document by the schema, except for its kind and metadata. Each value
// that is there is taken out, made null, of another type, and beyond each of its limits. Each field
// that is not there is set to nothing of its type.
func mutations(doc map[string]any, schema *structural.Structural) []mutation {
	var out []mutation
	w := walker{emit: func(path []any, what string, value any) {
		out = append(out, mutation{shown(path), what, changed(doc, path, value).(map[string]any)})
	}}
	for _, member := range slices.Sorted(maps.Keys(schema.Properties)) {
		if member == "metadata" || member == "apiVersion" || member == "kind" {
			continue
		}
		property := schema.Properties[member]
		w.property(doc, &property, []any{member})
	}
	return out
}

// some are most of the mutations, if there are more.
func some(all []mutation, most int, by *rand.Rand) []mutation {
	if len(all) <= most {
		return all
	}
	out := make([]mutation, 0, most)
	for _, i := range by.Perm(len(all))[:most] {
		out = append(out, all[i])
	}
	return out
}

// random is two to four mutations at once, each of what the ones before have made.
func random(doc map[string]any, schema *structural.Structural, by *rand.Rand) mutation {
	var out mutation
	for range 2 + by.IntN(3) {
		all := mutations(doc, schema)
		if len(all) == 0 {
			break
		}
		m := all[by.IntN(len(all))]
		if out.path != "" {
			m.path, m.what = out.path+", "+m.path, out.what+", "+m.what
		}
		out, doc = m, m.doc
	}
	return out
}

// absent is the value of a field that is taken out.
type absent struct{}

// walker goes through a document and its schema at once.
type walker struct {
	emit func(path []any, what string, value any)
}

// property changes a field of an object.
func (w walker) property(in map[string]any, s *structural.Structural, path []any) {
	value, there := in[path[len(path)-1].(string)]
	if !there {
		w.set(path, empty(s))
		w.set(path, nil)
		return
	}
	w.emit(path, "taken out", absent{})
	w.value(value, s, path)
}

func (w walker) set(path []any, value any) { w.emit(path, "set to "+text(value), value) }

// value changes a value, and what is in it.
func (w walker) value(value any, s *structural.Structural, path []any) {
	for _, wrong := range slices.Concat([]any{nil, otherType(s)}, beyond(s, value)) {
		w.set(path, wrong)
	}
	switch value := value.(type) {
	case map[string]any:
		w.set(path, map[string]any{})
		w.emit(with(path, "bogusField"), "added", "x")
		w.emit(with(path, "nullField"), "added", nil)
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			property := s.Properties[name]
			w.property(value, &property, with(path, name))
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
			for _, key := range slices.Sorted(maps.Keys(value)) {
				w.value(value[key], s.AdditionalProperties.Structural, with(path, key))
			}
		}
	case []any:
		w.set(path, []any{})
		w.emit(path, "null added", append(slices.Clone(value), nil))
		if len(value) > 0 {
			w.emit(path, "first item doubled", append(slices.Clone(value), value[0]))
		}
		for i, item := range value {
			if s.Items != nil {
				w.value(item, s.Items, with(path, i))
			}
		}
	case bool:
		w.set(path, !value)
	}
}

// empty is nothing of the type of a schema.
func empty(s *structural.Structural) any {
	switch s.Type {
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	case "integer", "number":
		return int64(0)
	case "boolean":
		return false
	}
	return ""
}

// otherType is a value of another type than that of a schema.
func otherType(s *structural.Structural) any {
	if s.Type == "string" {
		return int64(7)
	}
	return "text"
}

// mostItems bounds lists that are made too long.
const mostItems = 300

// beyond are values that are just beyond the limits of a schema.
func beyond(s *structural.Structural, value any) (out []any) {
	v := s.ValueValidation
	if v == nil {
		return nil
	}
	if len(v.Enum) > 0 {
		out = append(out, "NoSuchValue", "")
	}
	if v.Pattern != "" {
		out = append(out, "~ no match!")
	}
	if v.MaxLength != nil && *v.MaxLength < 5000 {
		out = append(out, strings.Repeat("a", int(*v.MaxLength)+1))
	}
	if v.MinLength != nil && *v.MinLength > 0 {
		out = append(out, strings.Repeat("a", int(*v.MinLength)-1))
	}
	if v.Minimum != nil {
		out = append(out, int64(*v.Minimum)-1)
	}
	if v.Maximum != nil {
		out = append(out, int64(*v.Maximum)+1)
	}
	if items, ok := value.([]any); ok && v.MaxItems != nil && *v.MaxItems < mostItems && len(items) > 0 {
		out = append(out, slices.Repeat(items[:1], int(*v.MaxItems)+1))
	}
	return out
}

// changed is a copy of a document with another value at a path.
func changed(in any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch step := path[0].(type) {
	case int:
		out := slices.Clone(in.([]any))
		out[step] = changed(out[step], path[1:], value)
		return out
	case string:
		out, ok := in.(map[string]any)
		if out = maps.Clone(out); !ok {
			out = map[string]any{}
		}
		if _, gone := value.(absent); gone && len(path) == 1 {
			delete(out, step)
			return out
		}
		out[step] = changed(out[step], path[1:], value)
		return out
	}
	panic("a path has names and indexes")
}

func with(path []any, step any) []any { return append(slices.Clone(path), step) }

func shown(path []any) string {
	var b strings.Builder
	for _, step := range path {
		if i, ok := step.(int); ok {
			fmt.Fprintf(&b, "[%d]", i)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, step)
	}
	return b.String()
}

func text(v any) string {
	s := fmt.Sprintf("%#v", v)
	if len(s) > 60 {
		return fmt.Sprintf("%.30s… (%d)", s, len(s))
	}
	return s
}
