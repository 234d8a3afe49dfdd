package program

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/suggest"
	"github.com/typeplane/typeplane/runtime"
)

// The words of --enable-api that are no names.
const (
	allAPIs = "all"
	// NoAPIs leaves out all that can be left out.
	NoAPIs = "none"
)

// Join returns the server with the parts of its APIs that the names choose, as if they were its
// own. It also returns which of those that can be left out are on. No names at all are all of them.
func Join(s Server, names []string) (Server, map[string]bool, error) {
	on, err := s.enabledAPIs(names)
	if err != nil {
		return s, nil, err
	}
	own := s.AddToScheme
	joined := s
	joined.Resources = slices.Clone(s.Resources)
	documents := map[schema.GroupVersion][]string{}
	for gv, text := range s.OpenAPI {
		documents[gv] = append(documents[gv], text)
	}
	for _, a := range s.APIs {
		served := map[schema.GroupVersion]bool{}
		for _, r := range a.Resources {
			if a.own || on[r.GroupResource().Resource] {
				joined.Resources = append(joined.Resources, r)
				for _, gv := range r.Versions() {
					served[gv] = true
				}
			}
		}
		virtual := slices.ContainsFunc(a.Virtual, func(name string) bool { return a.own || on[name] })
		for gv, text := range a.OpenAPI {
			if served[gv] || virtual {
				documents[gv] = append(documents[gv], text)
			}
		}
	}
	joined.AddToScheme = func(b *runtime.Builder) {
		if own != nil {
			own(b)
		}
		for _, a := range s.APIs {
			if a.AddToScheme != nil {
				a.AddToScheme(b)
			}
		}
	}
	joined.OpenAPI = map[schema.GroupVersion]string{}
	for gv, texts := range documents {
		if joined.OpenAPI[gv], err = joinSchemas(texts); err != nil {
			return s, nil, fmt.Errorf("OpenAPI schemas of %s: %w", gv, err)
		}
	}
	return joined, on, nil
}

// enabledAPIs says which names are on, or what is wrong with them.
func (s Server) enabledAPIs(names []string) (map[string]bool, error) {
	known := choosable(s.APIs)
	on := map[string]bool{}
	if len(names) == 0 {
		names = []string{allAPIs}
	}
	for _, name := range names {
		switch {
		case name == allAPIs:
			for _, k := range known {
				on[k] = true
			}
		case name == NoAPIs && len(names) == 1:
		case slices.Contains(known, name):
			on[name] = true
		default:
			return nil, unknownAPI(name, known)
		}
	}
	return on, nil
}

func unknownAPI(name string, known []string) error {
	known = append(slices.Clone(known), allAPIs, NoAPIs)
	if near := suggest.Nearest(name, known); near != "" && name != NoAPIs {
		return fmt.Errorf("--enable-api: there is no %q; did you mean %s?", name, near)
	}
	if name == NoAPIs {
		return fmt.Errorf("--enable-api: %s is for nothing else beside it", NoAPIs)
	}
	return fmt.Errorf("--enable-api: there is no %q; choose of %s", name, strings.Join(known, ", "))
}

// joinSchemas makes one JSON object of several. A model that names its kinds counts before one of
// another document that has it as a field only.
func joinSchemas(texts []string) (string, error) {
	if len(texts) == 1 {
		return texts[0], nil
	}
	all := map[string]json.RawMessage{}
	for _, text := range texts {
		var models map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &models); err != nil {
			return "", err
		}
		for name, model := range models {
			if known, ok := all[name]; !ok || namesKinds(model) || !namesKinds(known) {
				all[name] = model
			}
		}
	}
	joined, err := json.Marshal(all)
	return string(joined), err
}

// namesKinds reports whether a model is that of kinds.
func namesKinds(model json.RawMessage) bool {
	var of struct {
		Kinds []any `json:"x-kubernetes-group-version-kind"`
	}
	return json.Unmarshal(model, &of) == nil && len(of.Kinds) > 0
}

// Collected says whether anybody collects objects whose owners are gone.
func Collected(s Server, o *StoreOptions) bool {
	return o.GarbageCollector == CollectBeside || o.GarbageCollector == CollectInServer && HasCollector(s)
}

// HasCollector says whether the program has a garbage collector, which also deletes what ends by
// itself.
func HasCollector(s Server) bool {
	return slices.ContainsFunc(s.APIs, func(a API) bool { return a.Collects })
}
