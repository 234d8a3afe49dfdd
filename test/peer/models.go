package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	sample "k8s.io/sample-apiserver/pkg/generated/openapi"
)

// models are schemas as gen prints them, and how their names begin for the types of a Go package.
// What the schemas say is compared with openapi-gen's elsewhere; here they are what a server is
// given to publish, and to own fields by.
type models struct {
	schemas  []string
	packages map[string]string // "io.example.v1." by "example.io/api/v1."
}

const refPrefix = "#/components/schemas/"

func (m models) applyTo(config *genericapiserver.Config, scheme *runtime.Scheme) error {
	own, err := m.parse()
	if err != nil {
		return err
	}
	definitions := func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
		all := sample.GetOpenAPIDefinitions(ref)
		for name, text := range own {
			if _, ok := all[name]; !ok {
				all[name] = definition(text, ref)
			}
		}
		return all
	}
	namer := openapi.NewDefinitionNamer(scheme)
	kinds := m.kinds(scheme)
	name := func(canonical string) (string, spec.Extensions) {
		published := m.published(canonical)
		if gvks, ok := kinds[canonical]; ok {
			return published, spec.Extensions{"x-kubernetes-group-version-kind": gvks}
		}
		return published, nil
	}
	v2 := genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	v2.GetDefinitionName = name
	v3 := genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	v3.GetDefinitionName = name
	v3.Definitions = definitions(func(canonical string) spec.Ref {
		return spec.MustCreateRef(refPrefix + m.published(canonical))
	})
	config.OpenAPIConfig, config.OpenAPIV3Config = v2, v3
	return nil
}

// parse returns the schemas by the canonical names of the types.
func (m models) parse() (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	for _, text := range m.schemas {
		var some map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &some); err != nil {
			return nil, fmt.Errorf("schemas: %w", err)
		}
		maps.Copy(all, some)
	}
	byType := map[string]json.RawMessage{}
	for model, text := range all {
		byType[m.canonical(model)] = m.rename(text)
	}
	return byType, nil
}

func (m models) published(canonical string) string {
	for path, prefix := range m.packages {
		if name, ok := strings.CutPrefix(canonical, path); ok {
			return prefix + name
		}
	}
	return canonical
}

func (m models) canonical(model string) string {
	for path, prefix := range m.packages {
		if name, ok := strings.CutPrefix(model, prefix); ok {
			return path + name
		}
	}
	return model
}

// rename makes references to models ones to types, as openapi-gen writes them.
func (m models) rename(text json.RawMessage) json.RawMessage {
	s := string(text)
	for path, prefix := range m.packages {
		s = strings.ReplaceAll(s, `"`+refPrefix+prefix, `"`+refPrefix+path)
	}
	return json.RawMessage(s)
}

// kinds returns what the types in a scheme are the kinds of, by their canonical names.
func (m models) kinds(scheme *runtime.Scheme) map[string][]any {
	all := map[string][]any{}
	for gvk, t := range scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		name := util.GetCanonicalTypeName(reflect.New(t).Interface())
		all[name] = append(all[name], asMap(gvk))
	}
	return all
}

func asMap(gvk schema.GroupVersionKind) map[string]any {
	return map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}
}

func definition(text json.RawMessage, ref common.ReferenceCallback) common.OpenAPIDefinition {
	var s spec.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		panic(err) // the schemas are constants
	}
	var needs []string
	refer(&s, ref, &needs)
	delete(s.Extensions, "x-kubernetes-group-version-kind")
	return common.OpenAPIDefinition{Schema: s, Dependencies: needs}
}

// refer has ref print each reference, without the allOf around it: the builders add that where they
// need it.
func refer(s *spec.Schema, ref common.ReferenceCallback, needs *[]string) {
	if len(s.AllOf) == 1 && s.AllOf[0].Ref.String() != "" {
		s.Ref, s.AllOf = s.AllOf[0].Ref, nil
	}
	if name, ok := strings.CutPrefix(s.Ref.String(), refPrefix); ok {
		s.Ref = ref(name)
		*needs = append(*needs, name)
	}
	for key, p := range s.Properties {
		refer(&p, ref, needs)
		s.Properties[key] = p
	}
	if s.Items != nil && s.Items.Schema != nil {
		refer(s.Items.Schema, ref, needs)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		refer(s.AdditionalProperties.Schema, ref, needs)
	}
}
