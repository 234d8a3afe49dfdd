package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// openAPIDocument is the document of one group version, ready to be sent.
type openAPIDocument struct {
	path string // "/openapi/v3/apis/G/V"
	body []byte
	hash string
}

// buildOpenAPI builds /openapi/v3, which names a document for each group version that has schemas,
// and the documents.
func (s *Server) buildOpenAPI() error {
	root := map[string]openAPIReference{}
	var bodies [][]byte
	var errs []error
	add := func(about string, body []byte, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("server: OpenAPI of %s: %w", strings.TrimPrefix(about, "/apis/"), err))
			return
		}
		doc := openAPIDocument{path: "/openapi/v3" + about, body: body, hash: etagOf(body)}
		root[strings.TrimPrefix(about, "/")] = openAPIReference{doc.url()}
		s.documents[doc.path] = doc.serve
		bodies = append(bodies, body)
	}
	d := documentDescriber{title: s.config.Name, version: s.config.Version.GitVersion}
	groups := servedGroups(s.config.Resources)
	for about, op := range discoveryOperations(groups) {
		body, err := d.describe(map[string]*pathItem{about + "/": {Get: op}}, nil)
		add(about, body, err)
	}
	for _, g := range groups {
		for _, v := range g.versions {
			if text, ok := s.config.OpenAPI[v.GroupVersion]; ok {
				body, err := d.describeVersion(v, text)
				add(apiPath(v.GroupVersion), body, err)
			}
		}
	}
	index := encodeJSON(map[string]any{"paths": root}, "")
	tag := etagOf(index)
	s.documents["/openapi/v3"] = func(c *call) error {
		return c.sendTagged("application/json", index, tag)
	}
	s.documents["/openapi/v2"] = s.openAPIV2(bodies)
	return errors.Join(errs...)
}

type openAPIReference struct {
	ServerRelativeURL string `json:"serverRelativeURL"`
}

func (d openAPIDocument) url() string { return d.path + "?hash=" + d.hash }

// serve sends the document. Under the address with the right hash it never changes, so a client
// need not ask for it twice; under a wrong one it is somewhere else.
func (d openAPIDocument) serve(c *call) error {
	header := c.w.Header()
	header.Set("Vary", "Accept")
	// Some clients would take a protobuf form, which there is none of; they all list something else
	// behind it.
	if _, err := c.form([]rest.MediaType{rest.JSON}); err != nil {
		return err
	}
	if hash := c.query.Get("hash"); hash != "" {
		if hash != d.hash {
			http.Redirect(c.w, c.req, d.url(), http.StatusMovedPermanently)
			return nil
		}
		header.Set("Cache-Control", "public, immutable")
		header.Set("Expires", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	}
	return c.sendTagged(string(rest.JSON), d.body, d.hash)
}

// documentDescriber has what all documents say of their server.
type documentDescriber struct{ title, version string }

// describeVersion joins the generated schemas of a group version with the paths of its resources.
func (dd documentDescriber) describeVersion(v servedVersion, text string) ([]byte, error) {
	var schemas map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &schemas); err != nil {
		return nil, fmt.Errorf("the schemas are no JSON object: %w", err)
	}
	models, err := modelsByKind(schemas)
	if err != nil {
		return nil, err
	}
	d := describer{gv: v.GroupVersion, models: models, schemas: schemas}
	paths := map[string]*pathItem{apiPath(v.GroupVersion) + "/": {Get: resourcesOperation(v.GroupVersion)}}
	for _, r := range v.resources {
		for _, r := range append([]*rest.Resource{r}, v.parts[r.Name]...) {
			if r.Connect == nil && models[bodyKind(r)] == "" {
				return nil, fmt.Errorf("no schema says x-kubernetes-group-version-kind %s; run gen", bodyKind(r))
			}
			maps.Copy(paths, d.paths(r))
		}
	}
	return dd.describe(paths, schemas)
}

// describe writes a document. schemas are those that the server does not have itself; it adds what
// it has, where an operation needs it.
func (dd documentDescriber) describe(paths map[string]*pathItem, schemas map[string]json.RawMessage) ([]byte, error) {
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
		"info":       map[string]string{"title": dd.title, "version": dd.version},
		"paths":      json.RawMessage(described),
		"components": map[string]any{"schemas": schemas},
	})
}

// modelsByKind finds the model of each kind, which says so itself.
func modelsByKind(schemas map[string]json.RawMessage) (map[schema.GroupVersionKind]string, error) {
	models := map[schema.GroupVersionKind]string{}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		var model struct {
			Kinds []discoveryKind `json:"x-kubernetes-group-version-kind"`
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
