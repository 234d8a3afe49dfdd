package lift

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// texts are what strings are made of: the first that fits a field's pattern, format and length.
var texts = []string{
	"a", "example", "a.example.com", "v1", "v1.2.3", "1.2.3", "10.0.0.0/8", "10.0.0.1", "1m", "1", "50%", "/a",
	"https://a.example.com/b", "2026-01-01T00:00:00Z", "a.example.com/v1", "a.example.com/b", "Aa", "AAAA", "sha256:" + strings.Repeat("a", 64),
}

const (
	// deepest is how far below the root an object is made.
	deepest = 12
	// mostFields is how many fields are made of one object, those next to the root first.
	mostFields = 150
)

// made is an object with as many fields as can be, for kinds without an example. Each field is
// tried in turn, and stays if there is nothing wrong with the object then. wrong says where there
// is. It is nil if not even the required fields make an object.
func (d *definition) made(wrong func(doc map[string]any) []string) map[string]any {
	metadata := map[string]any{"name": "made"}
	if d.namespaced() {
		metadata["namespace"] = "default"
	}
	doc, _ := least(d.schema, 0).(map[string]any)
	doc["apiVersion"], doc["kind"], doc["metadata"] = d.gvk.GroupVersion().String(), d.gvk.Kind, metadata
	return madeOf(doc, d.schema, nil, wrong)
}

// madeOf is an object that is made out of doc, in which fields are mended and made below a path, of
// which s is the schema.
func madeOf(doc map[string]any, s *structural.Structural, path []any, wrong func(doc map[string]any) []string) map[string]any {
	g := &grower{wrong: wrong, doc: doc}
	for g.left = wrong(g.doc); len(g.left) > 0; {
		if !g.mended(s, path) {
			return nil
		}
	}
	for waiting := g.fields(s, path); len(waiting) > 0 && g.made < mostFields; waiting = waiting[1:] {
		waiting = append(waiting, g.grow(waiting[0])...)
	}
	return g.doc
}

// grower makes an object larger, as long as nothing comes to be wrong with it.
type grower struct {
	wrong func(doc map[string]any) []string
	doc   map[string]any
	left  []string // where something is wrong with it
	made  int
}

// place is where there can be something in an object.
type place struct {
	schema *structural.Structural
	path   []any
}

// try puts a value at a path, if nothing is wrong with the object then, or less than before and
// nothing else.
func (g *grower) try(path []any, value any) bool {
	doc := changed(g.doc, path, value).(map[string]any)
	left := g.wrong(doc)
	for _, at := range left {
		if len(left) >= len(g.left) || !slices.Contains(g.left, at) {
			return false
		}
	}
	g.doc, g.left = doc, left
	return true
}

// mended tries for an object with which something is wrong the other values that its fields may
// have, until one mends something.
func (g *grower) mended(s *structural.Structural, path []any) bool {
	for _, p := range g.fields(s, path) {
		value, there := valueAt(g.doc, p.path)
		for _, other := range values(p.schema, len(p.path)) {
			if g.try(p.path, other) || !there && g.mendedWith(p, other) {
				return true
			}
		}
		switch value := value.(type) {
		case map[string]any:
			if g.mended(p.schema, p.path) {
				return true
			}
		case []any:
			if len(value) > 0 && g.mended(p.schema.Items, with(p.path, 0)) {
				return true
			}
		}
	}
	return false
}

// mendedWith puts a value at a place in which something is wrong, although it is not there, and
// mends what is in it.
func (g *grower) mendedWith(p place, value any) bool {
	within := func(at string) bool { return strings.HasPrefix(at, shown(p.path)+".") }
	if _, isObject := value.(map[string]any); !isObject || !slices.ContainsFunc(g.left, within) {
		return false
	}
	was := g.doc
	g.doc = changed(was, p.path, value).(map[string]any)
	if g.mended(p.schema, p.path) {
		return true
	}
	g.doc = was
	return false
}

// fields are those of an object that a client may set.
func (g *grower) fields(s *structural.Structural, path []any) (out []place) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if len(path) == 0 && slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, name) {
			continue
		}
		property := s.Properties[name]
		out = append(out, place{&property, with(path, name)})
	}
	return out
}

// grow makes what can be at a place, and says what can be in that.
func (g *grower) grow(p place) []place {
	if _, there := valueAt(g.doc, p.path); !there {
		if len(p.path) > deepest || !slices.ContainsFunc(values(p.schema, len(p.path)), func(value any) bool { return g.try(p.path, value) }) {
			return nil
		}
		g.made++
	}
	inside := g.fields(p.schema, p.path)
	if p.schema.Items != nil {
		if value, _ := valueAt(g.doc, p.path); len(value.([]any)) > 0 {
			inside = append(inside, place{p.schema.Items, with(p.path, 0)})
		}
	}
	if more := p.schema.AdditionalProperties; more != nil && more.Structural != nil {
		inside = append(inside, place{more.Structural, with(p.path, "a")})
	}
	return inside
}

// valueAt is the value at a path; false: there is none.
func valueAt(in any, path []any) (any, bool) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := in.(map[string]any)
			value, ok := object[step]
			if !ok {
				return nil, false
			}
			in = value
		case int:
			list, _ := in.([]any)
			if step >= len(list) {
				return nil, false
			}
			in = list[step]
		}
	}
	return in, true
}

// least is a value of a schema with nothing but what is required.
func least(s *structural.Structural, depth int) any {
	if all := values(s, depth); len(all) > 0 {
		return all[0]
	}
	return nil
}

// values are some that a schema takes, as far as it can be seen from one place in it.
func values(s *structural.Structural, depth int) (out []any) {
	v := s.ValueValidation
	if v == nil {
		v = new(structural.ValueValidation)
	}
	for _, one := range v.Enum {
		out = append(out, one.Object)
	}
	switch {
	case len(out) > 0 || depth > deepest:
		return out
	case s.XIntOrString:
		return []any{int64(1), "50%", "1"}
	}
	switch s.Type {
	case "object":
		object := map[string]any{}
		for _, name := range v.Required {
			property := s.Properties[name]
			object[name] = least(&property, depth+1)
		}
		more := withOneMore(object, s, depth)
		if v.MinProperties != nil && int(*v.MinProperties) > len(object) {
			return more
		}
		return append([]any{object}, more...)
	case "array":
		if s.Items == nil {
			return []any{[]any{}}
		}
		count := int64(1)
		if v.MinItems != nil {
			count = max(count, *v.MinItems)
		}
		for _, item := range values(s.Items, depth+1) {
			out = append(out, slices.Repeat([]any{item}, int(count)))
		}
		return out
	case "integer", "number":
		out = append(out, int64(1), int64(0), int64(1000))
		if v.Minimum != nil {
			out = append([]any{int64(*v.Minimum), int64(*v.Minimum) + 1}, out...)
		}
		return out
	case "boolean":
		return []any{true, false}
	case "string":
		return fitting(v)
	}
	return []any{map[string]any{}}
}

// withOneMore are copies of an object that have one more field each.
func withOneMore(object map[string]any, s *structural.Structural, depth int) (out []any) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if _, there := object[name]; there || depth > deepest/2 {
			continue
		}
		property := s.Properties[name]
		more := maps.Clone(object)
		more[name] = least(&property, depth+1)
		out = append(out, more)
	}
	return out
}

// fitting are the texts for a field.
func fitting(v *structural.ValueValidation) (out []any) {
	switch v.Format {
	case "byte":
		return []any{"AAAA"}
	case "date-time":
		return []any{"2026-01-01T00:00:00Z"}
	}
	pattern := regexp.MustCompile(v.Pattern)
	for _, text := range texts {
		if v.MinLength != nil {
			text += strings.Repeat("a", max(0, int(*v.MinLength)-len(text)))
		}
		if pattern.MatchString(text) && (v.MaxLength == nil || len(text) <= int(*v.MaxLength)) {
			out = append(out, text)
		}
	}
	return out
}
