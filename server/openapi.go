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

// buildOpenAPI builds /openapi/v3, which names a document for each group version that has schemas, and the documents.
func (s *Server) buildOpenAPI() error {
	root := map[string]openAPIReference{}
	var bodies [][]byte
	var errs []error
	for _, g := range servedGroups(s.config.Resources) {
		for _, v := range g.versions {
			text, ok := s.config.OpenAPI[v.GroupVersion]
			if !ok {
				continue
			}
			body, err := describeVersion(s.config.Name, s.config.Version.GitVersion, v, text)
			if err != nil {
				errs = append(errs, fmt.Errorf("server: OpenAPI of %s: %w", v.GroupVersion, err))
				continue
			}
			doc := openAPIDocument{path: "/openapi/v3" + apiPath(v.GroupVersion), body: body, hash: etagOf(body)}
			root[strings.TrimPrefix(apiPath(v.GroupVersion), "/")] = openAPIReference{doc.url()}
			s.documents[doc.path] = doc.serve
			bodies = append(bodies, body)
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

// serve sends the document. Under the address with the right hash it never changes, so a client need not ask for it twice;
// under a wrong one it is somewhere else.
func (d openAPIDocument) serve(c *call) error {
	header := c.w.Header()
	header.Set("Vary", "Accept")
	// Some clients would take a protobuf form, which there is none of; they all list something else behind it.
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

// describeVersion joins the generated schemas of a group version with the paths of its resources.
func describeVersion(name, version string, v servedVersion, text string) ([]byte, error) {
	var schemas map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &schemas); err != nil {
		return nil, fmt.Errorf("the schemas are no JSON object: %w", err)
	}
	models, err := modelsByKind(schemas)
	if err != nil {
		return nil, err
	}
	d := describer{gv: v.GroupVersion, models: models, schemas: schemas}
	paths := map[string]*pathItem{}
	for _, r := range v.resources {
		for _, r := range append([]*rest.Resource{r}, v.parts[r.Name]...) {
			if r.Connect == nil && models[bodyKind(r)] == "" {
				return nil, fmt.Errorf("no schema says x-kubernetes-group-version-kind %s; run gen", bodyKind(r))
			}
			maps.Copy(paths, d.paths(r))
		}
	}
	doc := map[string]any{
		"openapi":    "3.0.0",
		"info":       map[string]string{"title": name, "version": version},
		"paths":      paths,
		"components": map[string]any{"schemas": schemas},
	}
	return json.Marshal(doc)
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
