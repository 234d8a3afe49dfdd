package amplify

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// document is what is read of the OpenAPI of a version.
type document struct {
	Paths      map[string]pathItem
	Components struct{ Schemas map[string]*model }
}

type pathItem struct {
	Post *struct {
		GVK         schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
		RequestBody *struct {
			Content map[string]struct{ Schema *model }
		}
	}
}

// model is a schema of JSON.
type model struct {
	Ref                  string `json:"$ref"`
	AllOf                []*model
	Type, Format         string
	Properties           map[string]*model
	Items                *model
	AdditionalProperties any
}

// discover finds each list, map and string of all that can be created, once for each model that has
// it.
func discover(t *testing.T, server *apitest.Server) (things []thing) {
	var root struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	get(t, server, "/openapi/v3", &root)
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(root.Paths)) {
		var doc document
		get(t, server, root.Paths[name].ServerRelativeURL, &doc)
		for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
			post := doc.Paths[path].Post
			if post == nil || post.RequestBody == nil || strings.Contains(path, "{name}") {
				continue
			}
			w := walk{doc: &doc, seen: seen, gvk: post.GVK, path: strings.Replace(path, "{namespace}", "default", 1)}
			for _, c := range post.RequestBody.Content {
				w.into(c.Schema, nil, post.GVK.Kind)
				break
			}
			things = append(things, w.things...)
		}
	}
	if len(things) == 0 {
		t.Fatal("the OpenAPI shows nothing that can be created")
	}
	return things
}

// walk goes through the models of a kind.
type walk struct {
	doc    *document
	seen   map[string]bool
	gvk    schema.GroupVersionKind
	path   string
	things []thing
}

// resolve follows references. name is that of the model, for those that have one.
func (w *walk) resolve(m *model) (resolved *model, name string) {
	for m != nil {
		ref := m.Ref
		if ref == "" && len(m.AllOf) == 1 {
			ref = m.AllOf[0].Ref
		}
		if ref == "" {
			return m, name
		}
		name = ref[strings.LastIndexByte(ref, '/')+1:]
		m = w.doc.Components.Schemas[name]
	}
	return nil, name
}

// level is a step from the object to a place in it: JSON before and after what stands there.
type level struct{ before, after string }

// into looks at a model at a place.
func (w *walk) into(m *model, place []level, called string) {
	m, name := w.resolve(m)
	if m == nil || len(place) > 12 {
		return
	}
	if name != "" {
		if w.seen[name] {
			return
		}
		w.seen[name] = true
		called = name
	}
	defer w.together(len(w.things), place, called)
	for _, field := range slices.Sorted(maps.Keys(m.Properties)) {
		if len(place) == 0 && (field == "apiVersion" || field == "kind") {
			continue
		}
		w.field(m.Properties[field], append(slices.Clone(place), level{`{"` + field + `":`, `}`}), called+"."+field)
	}
}

// together adds all lists and maps of one object at once, of those that were found from a thing on.
// What compares each of them with each of the others costs most then.
func (w *walk) together(from int, place []level, called string) {
	var parts []thing
	for _, g := range w.things[from:] {
		last := len(parts) - 1
		switch {
		case g.piece == nil || len(g.place) != len(place)+1:
		case last >= 0 && parts[last].place[len(place)] == g.place[len(place)]:
			parts[last] = g // the same list, of items that differ
		default:
			parts = append(parts, g)
		}
	}
	if len(parts) > 1 && len(place) > 0 {
		w.things = append(w.things, thing{gvk: w.gvk, path: w.path, called: called + " all lists", place: slices.Clone(place), parts: parts})
	}
}

func (w *walk) field(m *model, place []level, called string) {
	resolved, _ := w.resolve(m)
	if resolved == nil {
		return
	}
	switch values, isMap := resolved.AdditionalProperties.(map[string]any); {
	case resolved.Type == "array":
		item, _ := w.resolve(resolved.Items)
		w.add(called, place, "[", same(w.empty(resolved.Items)), "]")
		if item != nil && item.Properties["name"] != nil {
			w.add(called+" with names", place, "[", keyed(`{"name":"n%d"}`), "]")
		} else if item != nil && item.Type == "string" {
			w.add(called+" that differ", place, "[", keyed(`"n%d"`), "]")
		}
		w.into(resolved.Items, append(slices.Clone(place), level{"[", "]"}), called)
	case isMap:
		w.add(called, place, "{", keyed(`"k%d":`+emptyOf(values)), "}")
	case resolved.Type == "object" && resolved.Properties == nil && resolved.AdditionalProperties == nil:
		w.add(called, place, "{", keyed(`"f:k%d":{}`), "}")
	case resolved.Type == "string":
		w.add(called, place, `"`, nil, `"`)
	default:
		w.into(m, place, called)
	}
}

// empty is the least that stands for an item.
func (w *walk) empty(m *model) string {
	switch m, _ := w.resolve(m); {
	case m == nil || m.Type == "object" || m.Properties != nil:
		return "{}"
	case m.Type == "integer" || m.Type == "number":
		return "0"
	case m.Type == "boolean":
		return "true"
	case m.Type == "array":
		return "[]"
	}
	return `""`
}

// emptyOf is the least that stands for a value of a map.
func emptyOf(values map[string]any) string {
	switch kind, _ := values["type"].(string); kind {
	case "array":
		return "[]"
	case "object":
		return "{}"
	}
	return `""`
}

// thing is one list, map or string of a kind, and what it is full of.
type thing struct {
	gvk       schema.GroupVersionKind
	path      string // of its collection
	called    string
	place     []level
	open, end string
	piece     func(int) string // nil for a long text
	parts     []thing          // several at once, in the object at place
}

func (w *walk) add(called string, place []level, open string, piece func(int) string, end string) {
	w.things = append(w.things, thing{gvk: w.gvk, path: w.path, called: called, place: slices.Clone(place), open: open, piece: piece, end: end})
}

// full is a JSON object with so many bytes of the thing, and besides what identity says.
func (g thing) full(identity, name string, size int) []byte {
	place := slices.Clone(g.place)
	switch inMetadata := strings.HasPrefix(place[0].before, `{"metadata"`); {
	case name == "":
	case inMetadata && len(place) > 1:
		place[1].before = `{` + name + `,` + strings.TrimPrefix(place[1].before, "{")
	case inMetadata:
		g.parts = slices.Clone(g.parts)
		first := slices.Clone(g.parts[0].place)
		first[1].before = `{` + name + `,` + strings.TrimPrefix(first[1].before, "{")
		g.parts[0].place = first
	default:
		identity += `"metadata":{` + name + `},`
	}
	before, after := `{`+identity, g.end
	for i, l := range place {
		if i == 0 {
			l.before = strings.TrimPrefix(l.before, "{")
		}
		before += l.before
	}
	for i := len(place) - 1; i >= 0; i-- {
		after += place[i].after
	}
	return g.fill(before, after, size)
}

// fill puts as much of the thing between two texts as there is room for. after ends the thing.
func (g thing) fill(before, after string, size int) []byte {
	if len(g.parts) > 0 {
		for i, part := range g.parts {
			field := part.place[len(part.place)-1]
			if i > 0 {
				field.before = "," + strings.TrimPrefix(field.before, "{")
			}
			before = string(part.fill(before+field.before, part.end, len(before)+(size-len(before)-len(after))/(len(g.parts)-i)))
		}
		return append([]byte(before), "}"+after...)
	}
	if before += g.open; g.piece == nil {
		return []byte(before + strings.Repeat("a", max(0, size-len(before)-len(after))) + after)
	}
	return repeat(before, g.piece, after, size)
}

func (g thing) identity() string {
	return `"apiVersion":"` + g.gvk.GroupVersion().String() + `","kind":"` + g.gvk.Kind + `",`
}

// creates are the thing as a new object, in each form.
func (g thing) creates(scheme *runtime.Scheme) []bomb {
	text := func(size int) []byte { return g.full(g.identity(), `"name":"a"`, size) }
	create := func(form string, body func(int) []byte) bomb {
		return bomb{name: g.gvk.String() + " " + g.called + " " + form, method: "POST", path: g.path + dryRun(), contentType: form, body: body}
	}
	return []bomb{
		create("application/json", text),
		// JSON on many lines, so that YAML's own reader has to find the structure.
		create("application/yaml", func(size int) []byte { return bytes.ReplaceAll(text(size), []byte("},{"), []byte("},\n{")) }),
		create("application/vnd.kubernetes.protobuf", func(size int) []byte { return asProtobuf(scheme, g.gvk, text(size/2)) }),
	}
}

// asProtobuf is nil for what the program's own Scheme has no protobuf of.
func asProtobuf(scheme *runtime.Scheme, gvk schema.GroupVersionKind, text []byte) []byte {
	decoded, err := serializer.Decode(scheme, text, serializer.JSON, gvk)
	if err != nil {
		return nil
	}
	kind, err := scheme.Kind(gvk)
	if err != nil {
		return nil
	}
	body, err := serializer.AppendKind(nil, kind, decoded.Object, serializer.Protobuf, false)
	if err != nil {
		return nil
	}
	return body
}
