package openapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server/discovery"
	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
)

// The structs below are the part of OpenAPI v3 that a description of paths needs.

type pathItem struct {
	Get        *operation  `json:"get,omitempty"`
	Put        *operation  `json:"put,omitempty"`
	Post       *operation  `json:"post,omitempty"`
	Delete     *operation  `json:"delete,omitempty"`
	Patch      *operation  `json:"patch,omitempty"`
	Parameters []parameter `json:"parameters,omitempty"`
}

type operation struct {
	Tags        []string                   `json:"tags"`
	Description string                     `json:"description"`
	OperationID string                     `json:"operationId"`
	Parameters  []parameter                `json:"parameters,omitempty"`
	RequestBody *requestBody               `json:"requestBody,omitempty"`
	Responses   map[string]responseContent `json:"responses"`
	Action      string                     `json:"x-kubernetes-action,omitempty"`
	Kind        discovery.Kind             `json:"x-kubernetes-group-version-kind,omitzero"`
}

type requestBody struct {
	Content  map[string]content `json:"content"`
	Required bool               `json:"required,omitempty"`
}

type responseContent struct {
	Description string             `json:"description"`
	Content     map[string]content `json:"content,omitempty"`
}

type content struct {
	Schema schemaRef `json:"schema"`
}

type schemaRef struct {
	Ref  string `json:"$ref,omitempty"`
	Type string `json:"type,omitempty"`
}

type parameter struct {
	Name        string          `json:"name"`
	In          string          `json:"in"`
	Description string          `json:"description"`
	Required    bool            `json:"required,omitempty"`
	Schema      parameterSchema `json:"schema"`
}

type parameterSchema struct {
	Type        string     `json:"type"`
	UniqueItems bool       `json:"uniqueItems"`
	Items       *schemaRef `json:"items,omitempty"` // of an array
}

// describer describes the paths of one group version.
type describer struct {
	gv      schema.GroupVersion
	known   *library
	schemas map[string]json.RawMessage
}

// paths describes a resource. What kubectl reads is the group, version and kind of each operation,
// which parameters it takes, and which bodies.
func (d describer) paths(r *rest.Resource) map[string]*pathItem {
	base := discovery.Path(d.gv) + "/" + r.Name
	scope, collection := "", base
	var shared []parameter
	if r.Namespaced {
		scope, collection = "Namespaced", discovery.Path(d.gv)+"/namespaces/{namespace}/"+r.Name
		shared = append(shared, pathParameter("namespace", "The namespace of the object."))
	}
	kind, answer := d.model(r.SentKind()), d.model(r.ReceivedKind())

	all := &pathItem{Parameters: append(shared, prettyParameter)}
	if r.List != nil || r.Watch != nil {
		all.Get = d.list(r, "list", scope, "")
	}
	if r.Create != nil {
		all.Post = d.operation(r, "create", "post", scope, "create a "+r.Kind, writeParameters, "200", answer, "201", answer)
		all.Post.RequestBody = body(kind, !r.BodyOptional, negotiate.ObjectTypes(r, negotiate.MediaTypes))
	}

	if r.DeleteCollection != nil {
		all.Delete = d.operation(r, "delete", "deletecollection", scope, "delete a collection of "+r.Kind, deleteCollectionParameters, "200", d.named("Status"))
		all.Delete.OperationID = strings.Replace(all.Delete.OperationID, scope+r.Kind, "Collection"+scope+r.Kind, 1)
		all.Delete.RequestBody = body(d.named("DeleteOptions"), false, negotiate.MediaTypes)
	}

	one := &pathItem{Parameters: append([]parameter{pathParameter("name", "The name of the "+r.Kind+".")}, all.Parameters...)}
	if r.Get != nil {
		one.Get = d.operation(r, "read", "get", scope, "read one "+r.Kind, getParameters, "200", kind)
	}
	if r.Update != nil {
		one.Put = d.operation(r, "replace", "put", scope, "replace one "+r.Kind, writeParameters, "200", kind, "201", kind)
		one.Put.RequestBody = body(kind, true, negotiate.ObjectTypes(r, negotiate.MediaTypes))
	}
	if r.Patch != nil {
		one.Patch = d.operation(r, "patch", "patch", scope, "partially update one "+r.Kind, patchParameters(r), "200", kind, "201", kind)
		one.Patch.RequestBody = &requestBody{Content: map[string]content{}, Required: true}
		for _, t := range r.PatchTypes {
			one.Patch.RequestBody.Content[string(t)] = content{d.named("Patch")}
		}
	}
	if r.Delete != nil {
		status := d.named("Status")
		one.Delete = d.operation(r, "delete", "delete", scope, "delete one "+r.Kind, deleteParameters, "200", status)
		one.Delete.RequestBody = body(d.named("DeleteOptions"), false, negotiate.MediaTypes)
	}

	if r.Connect != nil {
		d.connect(one, r, scope)
	}
	if r.Subresource != "" {
		one.Post = cmp.Or(all.Post, one.Post)
		path := collection + "/{name}/" + r.Subresource
		paths := map[string]*pathItem{path: one}
		if r.ConnectBelow {
			paths[path+"/{path}"] = below(one)
		}
		return paths
	}
	paths := map[string]*pathItem{collection: all, collection + "/{name}": one}
	if r.Namespaced && all.Get != nil {
		paths[base] = &pathItem{Get: d.list(r, "list", "", "ForAllNamespaces"), Parameters: []parameter{prettyParameter}}
	}
	if r.Watch != nil {
		maps.Copy(paths, d.oldWatches(r, scope))
	}
	maps.DeleteFunc(paths, func(_ string, item *pathItem) bool { return item.empty() })
	return paths
}

// oldWatches describes the paths that have the watch in them.
func (d describer) oldWatches(r *rest.Resource, scope string) map[string]*pathItem {
	base, many := discovery.Path(d.gv)+"/watch/", "watch changes to objects of kind "+r.Kind+"; deprecated: use the parameter watch of a list"
	paths := map[string]*pathItem{}
	add := func(path, suffix, action, text, scope string, place ...parameter) {
		op := d.operation(r, "watch", action, scope, text, nil)
		op.OperationID += suffix
		event := content{schemaRef{Ref: v3Reference + metaModels + "WatchEvent"}}
		op.Responses["200"] = responseContent{Description: "OK", Content: map[string]content{}}
		for _, t := range negotiate.ObjectTypes(r, negotiate.StreamTypes) {
			op.Responses["200"].Content[string(t)] = event
			op.Responses["200"].Content[string(t)+";stream=watch"] = event
		}
		paths[base+path] = &pathItem{Get: op, Parameters: slices.Concat(place, []parameter{prettyParameter}, parametersOf(false, true))}
	}
	collection := r.Name
	var place []parameter
	if r.Namespaced {
		collection, place = "namespaces/{namespace}/"+r.Name, []parameter{pathParameter("namespace", "The namespace of the object.")}
		add(r.Name, "ListForAllNamespaces", "watchlist", many, "")
	}
	add(collection, "List", "watchlist", many, scope, place...)
	add(collection+"/{name}", "", "watch", "watch changes to one "+r.Kind+"; deprecated: use the parameters watch and fieldSelector of a list", scope,
		append(place, pathParameter("name", "The name of the "+r.Kind+"."))...)
	return paths
}

// groupTitle is the name of a group in tags and ids.
func groupTitle(group string) string { return cmp.Or(group, "core") }

// connect describes a subresource that answers by itself, with whatever it likes.
func (d describer) connect(one *pathItem, r *rest.Resource, scope string) {
	var parameters []parameter
	for _, p := range r.ConnectParameters {
		q := queryParameter(p.Name, p.Type, "An option of the "+r.Subresource+" of a "+r.Kind+".")
		if p.Type == "array" {
			q.Schema.UniqueItems, q.Schema.Items = false, &schemaRef{Type: "string"}
		}
		parameters = append(parameters, q)
	}
	for _, method := range r.ConnectMethods {
		op := d.operation(r, "connect", "connect", method[:1]+strings.ToLower(method[1:])+scope, "connect to a "+r.Kind, parameters)
		op.Responses["200"] = responseContent{Description: "OK", Content: map[string]content{"*/*": {schemaRef{Type: "string"}}}}
		switch method {
		case http.MethodGet:
			one.Get = op
		case http.MethodPost:
			one.Post = op
		case http.MethodPut:
			one.Put = op
		case http.MethodPatch:
			one.Patch = op
		case http.MethodDelete:
			one.Delete = op
		}
	}
}

// below describes the paths below one, which are connected to in the same ways.
func below(one *pathItem) *pathItem {
	with := *one
	with.Parameters = append(slices.Clone(one.Parameters), pathParameter("path", "The rest of the path."))
	for _, op := range []**operation{&with.Get, &with.Put, &with.Post, &with.Delete, &with.Patch} {
		if *op != nil {
			other := **op
			other.OperationID += "WithPath"
			*op = &other
		}
	}
	return &with
}

// empty says that nothing can be done there.
func (i *pathItem) empty() bool {
	return i.Get == nil && i.Put == nil && i.Post == nil && i.Delete == nil && i.Patch == nil
}

func (d describer) list(r *rest.Resource, verb, scope, suffix string) *operation {
	op := d.operation(r, verb, "list", scope, "list or watch objects of kind "+r.Kind, listParameters(r), "200", d.model(d.gv.WithKind(r.ListKind)))
	op.OperationID += suffix
	list := op.Responses["200"].Content
	for _, t := range negotiate.ObjectTypes(r, negotiate.StreamTypes) {
		list[string(t)+";stream=watch"] = list[string(t)]
	}
	return op
}

// operation describes one. answers are pairs of a status code and what is in the body.
func (d describer) operation(r *rest.Resource, verb, action, scope, text string, parameters []parameter, answers ...any) *operation {
	group := groupTitle(d.gv.Group)
	op := &operation{
		Tags:        []string{lowerCamel(group) + "_" + d.gv.Version},
		Description: text,
		OperationID: verb + upperCamel(group) + upperCamel(d.gv.Version) + scope + r.Kind + upperCamel(r.Subresource),
		Parameters:  parameters,
		Responses:   map[string]responseContent{"401": {Description: "Unauthorized"}},
		Action:      action,
		Kind:        discovery.Kind(r.SentKind()),
	}
	if r.Subresource != "" {
		op.Description += ": its " + r.Subresource
	}
	types := negotiate.ObjectTypes(r, negotiate.MediaTypes)
	if verb == "delete" { // what is answered is a Status
		types = negotiate.MediaTypes
	}
	for i := 0; i < len(answers); i += 2 {
		op.Responses[answers[i].(string)] = responseContent{Description: "OK", Content: contents(answers[i+1].(schemaRef), types)}
	}
	return op
}

// model refers to the schema of a kind.
func (d describer) model(kind schema.GroupVersionKind) schemaRef {
	name, _ := d.known.model(d.gv, kind)
	if name == "" && kind == (schema.GroupVersionKind{Version: "v1", Kind: "Status"}) {
		return d.named("Status")
	}
	if name == "" {
		return schemaRef{Type: "object"}
	}
	return schemaRef{Ref: "#/components/schemas/" + name}
}

// named refers to a schema of apimachinery, if it is there.
func (d describer) named(kind string) schemaRef {
	name := "io.k8s.apimachinery.pkg.apis.meta.v1." + kind
	if d.schemas[name] == nil {
		return schemaRef{Type: "object"}
	}
	return schemaRef{Ref: "#/components/schemas/" + name}
}

func contents(ref schemaRef, types []rest.MediaType) map[string]content {
	result := map[string]content{}
	for _, t := range types {
		result[string(t)] = content{ref}
	}
	return result
}

func body(ref schemaRef, required bool, types []rest.MediaType) *requestBody {
	return &requestBody{Content: contents(ref, types), Required: required}
}

// upperCamel makes LibraryExampleCom of library.example.com.
func upperCamel(name string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '.' || r == '-' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func lowerCamel(name string) string {
	upper := upperCamel(name)
	return strings.ToLower(upper[:1]) + upper[1:]
}
