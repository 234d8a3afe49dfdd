package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server/discovery"
)

// serverModels are the schemas of what every server answers, whatever it serves: discovery,
// /version and the events of watches. They are those of apimachinery's types, as Kubernetes
// publishes them.
//
//go:embed models.json
var serverModels []byte

var modelReference = regexp.MustCompile(`"` + regexp.QuoteMeta(v3Reference) + `([^"]+)"`)

// library has all models that documents may need: those that gen printed for each version, and
// those of the server. What is sent to a subresource may be of another version, or of another
// group.
type library struct {
	versions map[schema.GroupVersion]map[string]json.RawMessage
	kinds    map[schema.GroupVersion]map[schema.GroupVersionKind]string // names of models
	models   map[string]json.RawMessage
}

func newLibrary() (*library, error) {
	l := &library{
		versions: map[schema.GroupVersion]map[string]json.RawMessage{},
		kinds:    map[schema.GroupVersion]map[schema.GroupVersionKind]string{},
	}
	if err := json.Unmarshal(serverModels, &l.models); err != nil {
		return nil, fmt.Errorf("the schemas of the server: %w", err)
	}
	return l, nil
}

// add takes the schemas of a version, as text.
func (l *library) add(gv schema.GroupVersion, text string) error {
	var schemas map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &schemas); err != nil {
		return fmt.Errorf("the schemas are no JSON object: %w", err)
	}
	kinds, err := modelsByKind(schemas)
	if err != nil {
		return err
	}
	l.versions[gv], l.kinds[gv] = schemas, kinds
	for name, model := range schemas {
		if _, ok := l.models[name]; !ok {
			l.models[name] = model
		}
	}
	for kind, name := range kinds {
		if kind.GroupVersion() == gv {
			l.models[name] = schemas[name] // other versions may have it as a field, without its kind
		}
	}
	return nil
}

// model is the name of the model of a kind, in the schemas of a version or else in those of the
// version that the kind is of.
func (l *library) model(gv schema.GroupVersion, kind schema.GroupVersionKind) (string, bool) {
	if name, ok := l.kinds[gv][kind]; ok {
		return name, true
	}
	name, ok := l.kinds[kind.GroupVersion()][kind]
	return name, ok
}

// complete returns the schemas with the models that are referred to, in text or in one another, and
// that are not among them.
func (l *library) complete(schemas map[string]json.RawMessage, text []byte) map[string]json.RawMessage {
	all := maps.Clone(schemas)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	for texts := [][]byte{text}; len(texts) > 0; texts = texts[1:] {
		for _, match := range modelReference.FindAllSubmatch(texts[0], -1) {
			name := string(match[1])
			if model, ok := l.models[name]; ok && all[name] == nil {
				all[name] = model
				texts = append(texts, model)
			}
		}
	}
	return all
}

// modelsByKind finds the model of each kind, which says so itself.
func modelsByKind(schemas map[string]json.RawMessage) (map[schema.GroupVersionKind]string, error) {
	models := map[schema.GroupVersionKind]string{}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		var model struct {
			Kinds []discovery.Kind `json:"x-kubernetes-group-version-kind"`
		}
		if err := json.Unmarshal(schemas[name], &model); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		for _, k := range model.Kinds {
			models[schema.GroupVersionKind(k)] = name
		}
	}
	return models, nil
}
