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
	known, err := newLibrary()
	if err != nil {
		return nil, err
	}
	for _, gv := range slices.SortedFunc(maps.Keys(schemas), func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) }) {
		if err := known.add(gv, schemas[gv]); err != nil {
			errs = append(errs, fmt.Errorf("OpenAPI of %s: %w", gv, err))
		}
	}
	operations := discoveryOperations(groups)
	for _, about := range slices.Sorted(maps.Keys(operations)) {
		body, err := info.describe(known, map[string]*pathItem{about + "/": {Get: operations[about]}}, nil)
		add(about, body, err)
	}
	for _, g := range groups {
		for _, v := range g.Versions {
			if _, ok := known.versions[v.GroupVersion]; ok {
				body, err := info.describeVersion(known, v)
				add(discovery.Path(v.GroupVersion), body, err)
			}
		}
	}
	return documents, errors.Join(errs...)
}

// describeVersion joins the generated schemas of a group version with the paths of its resources.
func (info Info) describeVersion(known *library, v discovery.Version) ([]byte, error) {
	d := describer{gv: v.GroupVersion, known: known, schemas: known.versions[v.GroupVersion]}
	paths := map[string]*pathItem{discovery.Path(v.GroupVersion) + "/": {Get: resourcesOperation(v.GroupVersion)}}
	for _, r := range v.Resources {
		for _, r := range append([]*rest.Resource{r}, v.Parts[r.Name]...) {
			if _, ok := known.model(v.GroupVersion, r.SentKind()); r.Connect == nil && !ok {
				return nil, fmt.Errorf("no schema says x-kubernetes-group-version-kind %s; run gen", r.SentKind())
			}
			maps.Copy(paths, d.paths(r))
		}
	}
	return info.describe(known, paths, d.schemas)
}

// describe writes a document. schemas are those that it has whether something refers to them or
// not.
func (info Info) describe(known *library, paths map[string]*pathItem, schemas map[string]json.RawMessage) ([]byte, error) {
	described, err := json.Marshal(paths)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"openapi":    "3.0.0",
		"info":       map[string]string{"title": info.Title, "version": info.Version},
		"paths":      json.RawMessage(described),
		"components": map[string]any{"schemas": known.complete(schemas, described)},
	})
}
