// Package openapi describes what a server serves, in documents of OpenAPI v3 and v2. Each
// version of a group has a document of v3, made of the schemas that gen prints and of the verbs
// of the resources. The one document of v2 is made of these. Start reading at Describe.
package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server/discovery"
	"github.com/typeplane/typeplane/registry/rest"
)

// Info is what all documents say of their server.
type Info struct{ Title, Version string }

// Document is a document of OpenAPI v3.
type Document struct {
	// About is the path that it describes, with all below it: "/apis/G/V", "/api", "/version".
	About string
	Body  []byte
}

// Describe returns the documents of a server, those of its versions in the order of groups. A
// version without schemas has none. The error joins what is wrong with each.
func Describe(info Info, groups []discovery.Group, schemas map[schema.GroupVersion]string) ([]Document, error) {
	var documents []Document
	var errs []error
	add := func(about string, body []byte, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("OpenAPI of %s: %w", strings.TrimPrefix(about, "/apis/"), err))
			return
		}
		documents = append(documents, Document{about, body})
	}
	operations := discoveryOperations(groups)
	for _, about := range slices.Sorted(maps.Keys(operations)) {
		body, err := info.describe(map[string]*pathItem{about + "/": {Get: operations[about]}}, nil)
		add(about, body, err)
	}
	for _, g := range groups {
		for _, v := range g.Versions {
			if text, ok := schemas[v.GroupVersion]; ok {
				body, err := info.describeVersion(v, text)
				add(discovery.Path(v.GroupVersion), body, err)
			}
		}
	}
	return documents, errors.Join(errs...)
}

// describeVersion joins the generated schemas of a group version with the paths of its resources.
func (info Info) describeVersion(v discovery.Version, text string) ([]byte, error) {
	var schemas map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &schemas); err != nil {
		return nil, fmt.Errorf("the schemas are no JSON object: %w", err)
	}
	models, err := modelsByKind(schemas)
	if err != nil {
		return nil, err
	}
	d := describer{gv: v.GroupVersion, models: models, schemas: schemas}
	paths := map[string]*pathItem{discovery.Path(v.GroupVersion) + "/": {Get: resourcesOperation(v.GroupVersion)}}
	for _, r := range v.Resources {
		for _, r := range append([]*rest.Resource{r}, v.Parts[r.Name]...) {
			if r.Connect == nil && models[r.SentKind()] == "" {
				return nil, fmt.Errorf("no schema says x-kubernetes-group-version-kind %s; run gen", r.SentKind())
			}
			maps.Copy(paths, d.paths(r))
		}
	}
	return info.describe(paths, schemas)
}

// describe writes a document. schemas are those that the server does not have itself; it adds what
// it has, where an operation needs it.
func (info Info) describe(paths map[string]*pathItem, schemas map[string]json.RawMessage) ([]byte, error) {
	described, err := json.Marshal(paths)
	if err != nil {
		return nil, err
	}
	schemas, err = withServerModels(schemas, described)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"openapi":    "3.0.0",
		"info":       map[string]string{"title": info.Title, "version": info.Version},
		"paths":      json.RawMessage(described),
		"components": map[string]any{"schemas": schemas},
	})
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
