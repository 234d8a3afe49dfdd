package openapi

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server/discovery"
	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
)

// The names of the models that operations refer to.
const (
	metaModels   = "io.k8s.apimachinery.pkg.apis.meta.v1."
	versionModel = "io.k8s.apimachinery.pkg.version.Info"
)

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
