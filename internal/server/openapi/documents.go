package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server/discovery"
	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
)

// serverModels are the schemas of what every server answers, whatever it serves: discovery,
// /version and the events of watches. They are those of apimachinery's types, as Kubernetes
// publishes them.
//
//go:embed models.json
var serverModels []byte

// The names of the models that operations refer to.
const (
	metaModels   = "io.k8s.apimachinery.pkg.apis.meta.v1."
	versionModel = "io.k8s.apimachinery.pkg.version.Info"
)

var modelReference = regexp.MustCompile(`"` + regexp.QuoteMeta(v3Reference) + `([^"]+)"`)

// withServerModels returns the schemas with those of the server that are referred to, in text or in
// one another, and not there yet.
func withServerModels(schemas map[string]json.RawMessage, text []byte) (map[string]json.RawMessage, error) {
	var known map[string]json.RawMessage
	if err := json.Unmarshal(serverModels, &known); err != nil {
		return nil, fmt.Errorf("the schemas of the server: %w", err)
	}
	all := maps.Clone(schemas)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	for texts := [][]byte{text}; len(texts) > 0; texts = texts[1:] {
		for _, match := range modelReference.FindAllSubmatch(texts[0], -1) {
			name := string(match[1])
			if model, ok := known[name]; ok && all[name] == nil {
				all[name] = model
				texts = append(texts, model)
			}
		}
	}
	return all, nil
}

// discoveryOperations are those that say what there is: one for each path.
func discoveryOperations(groups []discovery.Group) map[string]*operation {
	ops := map[string]*operation{
		"/apis":    documentOperation("getAPIVersions", "apis", "the groups that are served, and their versions", metaModels+"APIGroupList", negotiate.MediaTypes),
		"/version": documentOperation("getCodeVersion", "version", "the version of the server", versionModel, []rest.MediaType{rest.JSON}),
	}
	for _, g := range groups {
		if g.Name == "" {
			ops["/api"] = documentOperation("getCoreAPIVersions", "core", "the versions of the group without a name", metaModels+"APIVersions", negotiate.MediaTypes)
			continue
		}
		ops["/apis/"+g.Name] = documentOperation("get"+upperCamel(g.Name)+"APIGroup", lowerCamel(g.Name), "the versions of the group", metaModels+"APIGroup", negotiate.MediaTypes)
	}
	return ops
}

// resourcesOperation says what a version of a group has.
func resourcesOperation(gv schema.GroupVersion) *operation {
	group := groupTitle(gv.Group)
	return documentOperation("get"+upperCamel(group)+upperCamel(gv.Version)+"APIResources", lowerCamel(group)+"_"+gv.Version,
		"the resources of the version", metaModels+"APIResourceList", negotiate.MediaTypes)
}

func documentOperation(id, tag, text, model string, types []rest.MediaType) *operation {
	answer := map[string]content{}
	for _, t := range types {
		answer[string(t)] = content{schemaRef{Ref: v3Reference + model}}
	}
	return &operation{
		Tags: []string{tag}, Description: text, OperationID: id,
		Responses: map[string]responseContent{"200": {Description: "OK", Content: answer}},
	}
}
